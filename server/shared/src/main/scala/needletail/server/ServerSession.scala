package needletail.server

import needletail.async.Survivable
import needletail.http._
import needletail.io.LoopMemory

/**
 * The server's side of one HTTP/1.1 connection, without any input or output of its own: octets go in by
 * `receive`, replies come out at the [[Wire]], in the order of their requests.
 *
 * Everything happens in turns: each entry (`receive`, `proceed`, `peerEnded`, `deadlinePassed`) does all it can
 * and then writes, once, what there is to write. Callbacks that come from elsewhere only ask for a turn.
 */
private[needletail] final class ServerSession(wire: Wire, handler: Handler, context: LoopContext)
    extends SessionRequests(wire, handler, context)
    with LentWriter.Turn {

  /** The octets of the present turn that have not been used; no array outside of `receive`. */
  private var in: Array[Byte] = null
  private var inAt: Int       = 0
  private var inUntil: Int    = 0

  /** Set while a head has come in part. */
  private var parser: HeadParser = null

  /** A whole head lies in the window that must wait for the replies before it. */
  private var held: Boolean = false

  /** When what is not answered yet is given up, as the peer has ended; MaxValue as long as it has not. */
  private var giveUpAt: Long = Long.MaxValue

  private var idleSince: Long    = wire.nowNanos
  private var readDeadline: Long = idleSince + context.idleNanos

  // what the body reads from

  def memory: LoopMemory  = context.memory
  def window: Array[Byte] = in
  def position: Int       = inAt
  def limit: Int          = inUntil
  def available: Int      = inUntil - inAt
  def skip(n: Int): Unit  = inAt += n

  /** The next `n` octets in an array of their own: of a large body mostly the one that they were read into. */
  def takeOut(n: Int): Array[Byte] = {
    val piece =
      if (n == in.length && wire.keepInput(in)) in
      else {
        val copy = new Array[Byte](n)
        Octets.copy(in, inAt, copy, 0, n)
        copy
      }
    inAt += n
    piece
  }

  // entries

  /** Octets from the peer; answers up to where they were used. The rest comes again, with more behind it. */
  def receive(bytes: Array[Byte], from: Int, until: Int): Int = {
    in = bytes
    inAt = from
    inUntil = until
    turn()
    val used = inAt
    in = null
    inAt = 0
    inUntil = 0
    used
  }

  /** What was asked for by `wire.wake`, and after the output has drained. */
  def proceed(): Unit = turn()

  /**
   * The peer will send no more. It may still read what it asked for, or be gone: so what can be answered soon is, and
   * what is being streamed goes on as long as it is taken; what is not there after the grace is given up.
   */
  def peerEnded(): Unit = {
    if (parser != null && parser.started)
      refuse(HttpError(Status.BadRequest, "the request ended before its head did"))
    else if (body != null && !body.dropping)
      body.fail(HttpError(Status.BadRequest, "the request ended before its body did"))
    stopReading()
    if (first != null) giveUpAt = wire.nowNanos + context.halfCloseNanos
    turn()
  }

  /** The connection is gone: what handlers wait for is cancelled. */
  def peerGone(): Unit = {
    over = true
    finished = true
    if (body != null) body.fail(new ConnectionLost)
    dropReplies(first)
    giveUpParser()
  }

  /** The server ends: from now on every reply is the connection's last. */
  def drain(): Unit = {
    isEnding = true
    if (first != null && first.isAwaiting && first.isEventStream) again()
    takeLast()
  }

  /** The next request is the only one, or the last. */
  def takeLast(): Unit = {
    draining = true
    if (isIdle) {
      idleSince = wire.nowNanos
      readDeadline = idleSince + config.drainGrace.toNanos
    }
  }

  /** Has the connection been given its end? It is no longer the session's then. */
  def isFinished: Boolean = finished

  /** No request is under way and nothing waits to be written. */
  def isIdle: Boolean =
    first == null && parser == null && body == null && !finished && wire.pendingOutput == 0

  /** The loop's idle time-out has changed. */
  def idleTimeoutChanged(): Unit = if (isIdle && !draining) readDeadline = idleDeadline

  /** May bytes be read for this session now? Asked between turns, when nothing is left in the loop's writer. */
  def wantsInput: Boolean =
    if (finished) false
    else if (body != null) body.dropping || body.isWanted
    else if (over || held) false
    else inFlight < config.maxPipelined && wire.pendingOutput <= config.maxPendingOutput

  /** When `deadlinePassed` is to be called, in nanoseconds of the loop's clock. */
  def deadline: Long = {
    if (first == null) readDeadline else Math.min(Math.min(readDeadline, giveUpAt), handlerDeadline)
  }

  def deadlinePassed(): Unit = {
    val now = wire.nowNanos
    if (giveUpAt <= now) {
      giveUpAt = Long.MaxValue
      dropUnanswered()
    }
    expireHandlers(now)
    if (readDeadline <= now)
      if (parser != null) {
        if (parser.started) {
          context.counts.timeouts += 1
          refuse(HttpError(Status.RequestTimeout, "the head of the request took too long"))
        } else stopReading()
      } else if (body != null) {
        context.counts.timeouts += 1
        bodyTooSlow()
      } else if (first == null && wire.pendingOutput == 0) stopReading()
    turn()
  }

  // memory

  /** Bytes that it holds, besides its connection, until its client has sent what is missing. */
  def heldForClient: Long = if (body != null && body.isWanted) body.held else 0

  /** Does it wait for the rest of something that has begun to come? */
  def awaitsClient: Boolean = !finished && (parser != null || body != null && body.isWanted)

  /** Nothing more is to be kept for this client: what it has not sent to the end is refused, and reading ends. */
  def relieve(): Unit = if (!finished) {
    if (body == null) {
      refuseWith(context.memoryShort, isHead = false)
      countMemoryShort(admission.route)
    } else if (!body.dropping) {
      bodyRefused(body)
      body.fail(MemoryShort)
    } else {
      body = null
      stopReading()
    }
    turn()
  }

  // a turn

  private def turn(): Unit = if (!finished) context.lent.lend(this)

  def work(): Unit = {
    inTurn = true
    dueNanos = wire.nowNanos + context.handlerNanos
    admission.beginTurn()
    onceMore = true
    while (onceMore) {
      onceMore = false
      payContinue()
      read()
      reply()
    }
    if (over && first == null) finished = true
    flush()
    admission.endTurn()
    inTurn = false
    if (finished) {
      giveUpParser()
      if (body != null) body.dropping = true
      wire.finish()
    }
    setReadDeadline()
  }

  /**
   * An exception left the turn, out of which none should come: nobody knows what has been said and what not, so
   * nothing more is.
   */
  def aborted(cause: Throwable): Unit = {
    inTurn = false
    over = true
    finished = true
    readDeadline = Long.MaxValue
    wire.abort()
    if (!Survivable(cause)) throw cause
    context.counts.failures += 1
    context.log.error("a connection has been ended by an exception", cause)
    parser = null
    if (body != null) body.dropping = true
    if (latest != null) latest.release() // its request may have been in nobody's queue
    dropReplies(first)
  }

  /** Which time-out of reading applies; those of handlers are with their exchanges. */
  private def setReadDeadline(): Unit = {
    if (finished) readDeadline = Long.MaxValue
    else if (parser != null) () // set when the head began
    else if (body != null) {
      if (!body.dropping && !body.isWanted) readDeadline = Long.MaxValue // else set when it was asked for
    } else if (first == null && wire.pendingOutput == 0) {
      if (!draining) idleSince = wire.nowNanos
      readDeadline = idleDeadline
    } else readDeadline = Long.MaxValue
  }

  private def idleDeadline: Long =
    if (draining) idleSince + config.drainGrace.toNanos else idleSince + context.idleNanos

  // reading

  private def hasRoom: Boolean =
    inFlight < config.maxPipelined && !isBacklogged

  private def read(): Unit = {
    if (in != null) held = false
    var go = true
    while (go)
      if (body != null) go = readBody()
      else if (over) {
        inAt = inUntil
        go = false
      } else if (inAt == inUntil) go = false
      else go = hasRoom && readHead()
  }

  @inline private def readHead(): Boolean = {
    val p = if (parser != null) parser else { val fresh = context.takeParser(); fresh.reset(); fresh }
    val n = p.parse(in, inAt, inUntil)
    if (n > 0) {
      parser = null
      val head = p.head
      if (first != null && (unsafeInFlight || !head.method.isSafe || head.expectContinue)) {
        // RFC 9112 §9.3.2: only safe requests may be worked on side by side
        held = true
      } else {
        inAt += n
        serve(head)
      }
      context.giveParser(p)
      !held
    } else if (n == 0) {
      if (parser == null) {
        parser = p
        readDeadline = wire.nowNanos + context.headNanos
      }
      false
    } else {
      refuse(p.error, p.head.method eq Method.HEAD)
      false
    }
  }

  private def readBody(): Boolean = {
    val b = body
    if (b.dropping) {
      if (inAt == inUntil) false
      else {
        b.waited(wire.nowNanos)
        val done = b.drop()
        if (!done) bodyProgress()
        if (!done && b.dropped > config.maxDrain) {
          body = null
          stopReading()
        }
        done
      }
    } else if (!b.isWanted || (inAt == inUntil)) false
    else {
      b.waited(wire.nowNanos)
      bodyCame(b) // first, since those who are fed may ask how much time they have
      val fed = b.feed()
      if (body eq b) bodyProgress()
      fed
    }
  }

  private def bodyProgress(): Unit = {
    val b   = body
    val now = wire.nowNanos
    if (
      config.minBodyRate > 0 && b.waitedNanos > context.bodyGraceNanos &&
      (b.total + b.dropped) * 1e9 < config.minBodyRate.toDouble * b.waitedNanos
    ) {
      context.counts.timeouts += 1
      bodyTooSlow()
    } else {
      if (b.dropping || b.isWanted) b.waitsSince = now
      readDeadline = now + context.bodyNanos
    }
  }

  private def bodyTooSlow(): Unit = {
    val b = body
    if (b.dropping) {
      body = null
      stopReading()
    } else b.fail(HttpError(Status.RequestTimeout, "the body of the request took too long"))
  }

  protected def bodyOf(head: Head): SessionBody =
    new SessionBody(
      this,
      if (head.chunked) -1 else head.contentLength,
      config.maxBody,
      config.maxBodyInMemory,
      head.expectContinue,
      if (head.chunked) new ChunkedDecoder(config.maxHead, config.maxHeaders) else null
    )

  /** Somebody waits for a piece of the body. */
  def bodyWanted(b: SessionBody): Unit = {
    b.waitsSince = wire.nowNanos
    readDeadline = b.waitsSince + context.bodyNanos
    if (b.expectsContinue && !b.isAnswered) owesContinue = true
    again()
  }

  /** RFC 9110 §10.1.1. A request with Expect is only begun when no reply is before it, so the wire is its own. */
  protected def payContinue(): Unit = if (owesContinue) {
    owesContinue = false
    val b = body
    if (b != null && b.expectsContinue) {
      b.expectsContinue = false
      if (b.total == 0) context.writer.write(ResponseEncoder.continueLine)
    }
  }

  def bodyEnded(): Unit = body = null

  protected def leaveBody(left: SessionBody): Unit = if (body eq left) {
    left.dropping = true
    if (over) body = null
    else {
      left.waitsSince = wire.nowNanos
      readDeadline = left.waitsSince + context.bodyNanos
    }
  }

  protected def roomAgain(): Unit = {
    held = false
    if (inAt < inUntil) onceMore = true
  }

  def bodyFailed(): Unit = {
    body = null
    stopReading()
    again()
  }

  private def stopReading(): Unit = {
    over = true
    giveUpParser()
  }

  protected def giveUpParser(): Unit = parser = null
}
