package needletail.server

import scala.util.control.NonFatal

import needletail.http._

/**
 * The server's side of one HTTP/1.1 connection, without any input or output of its own: octets go in by
 * `receive`, replies come out at the [[Wire]], in the order of their requests.
 *
 * Everything happens in turns: each entry (`receive`, `proceed`, `peerEnded`, `deadlinePassed`) does all it can
 * and then writes, once, what there is to write. Callbacks that come from elsewhere only ask for a turn.
 */
private[needletail] final class ServerSession(wire: Wire, handler: Handler, context: LoopContext)
    extends SessionReplies(wire, context) {

  /** The octets of the present turn that have not been used; no array outside of `receive`. */
  private var in: Array[Byte] = null
  private var inAt: Int       = 0
  private var inUntil: Int    = 0

  /** Set while a head has come in part. */
  private var parser: HeadParser = null

  /** Set while a body has not been read to its end. */
  private var body: SessionBody = null

  /** A whole head lies in the window that must wait for the replies before it. */
  private var held: Boolean = false

  /** When what is not answered yet is given up, as the peer has ended; MaxValue as long as it has not. */
  private var giveUpAt: Long = Long.MaxValue

  private var idleSince: Long    = wire.nowNanos
  private var readDeadline: Long = idleSince + context.idleNanos

  // what the body reads from

  def window: Array[Byte]          = in
  def position: Int                = inAt
  def limit: Int                   = inUntil
  def available: Int               = inUntil - inAt
  def skip(n: Int): Unit           = inAt += n
  def copyOut(n: Int): Array[Byte] = {
    val piece = java.util.Arrays.copyOfRange(in, inAt, inAt + n)
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

  /** From now on every reply is the connection's last. */
  def drain(): Unit = {
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

  /** May octets be read for this session now? */
  def wantsInput: Boolean =
    if (finished) false
    else if (body != null) body.dropping || body.isWanted
    else if (over || held) false
    else hasRoom

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

  // a turn

  private def turn(): Unit = if (!finished) {
    inTurn = true
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
    inFlight < config.maxPipelined && wire.pendingOutput + context.writer.length <= config.maxPendingOutput

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

  private def readHead(): Boolean = {
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

  /** Somebody waits for a piece of the body. */
  def bodyWanted(b: SessionBody): Unit = {
    b.waitsSince = wire.nowNanos
    readDeadline = b.waitsSince + context.bodyNanos
    if (b.expectsContinue) owesContinue = true
    again()
  }

  /** RFC 9110 §10.1.1. A request with Expect is only begun when no reply is before it, so the wire is its own. */
  private def payContinue(): Unit = if (owesContinue) {
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

  private def giveUpParser(): Unit = parser = null

  // serving

  private def serve(head: Head): Unit = {
    if (!head.keepAlive) over = true
    if (head.contentLength > config.maxBody)
      refuse(
        HttpError(Status.ContentTooLarge, s"the body is larger than ${config.maxBody} bytes"),
        head.method eq Method.HEAD
      )
    else {
      val hasBody = head.chunked || head.contentLength > 0
      if (hasBody) beginBody(head)
      val own     = body
      val started = admission.now
      val request = new Request(head, head.generation, if (hasBody) own else Body.empty, wire.info)
      request.dueNanos = wire.nowNanos + context.handlerNanos
      call(head, request) match {
        case response: Response if first == null && response.source == null =>
          sendNow(
            request,
            own,
            if (own == null) response else limited(response, own),
            head.method eq Method.HEAD,
            head.minor,
            head.keepAlive,
            started
          )
        case reply => serveLater(head, request, own, reply, started)
      }
    }
  }

  private def beginBody(head: Head): Unit =
    body = new SessionBody(
      this,
      if (head.chunked) -1 else head.contentLength,
      config.maxBody,
      config.maxBodyInMemory,
      head.expectContinue,
      if (head.chunked) new ChunkedDecoder(config.maxHead, config.maxHeaders) else null
    )

  /** The reply cannot be sent now: it comes later, is streamed, or another one is before it. */
  private def serveLater(
      head: Head,
      request: Request,
      own: SessionBody,
      reply: Reply,
      started: Long
  ): Unit = {
    val x = new Exchange(
      this,
      request,
      own,
      head.method eq Method.HEAD,
      head.minor,
      head.method.isSafe,
      head.keepAlive,
      started,
      wire.nowNanos + context.handlerNanos,
      admission.route
    )
    request.detach()
    enqueue(x)
    reply match {
      case response: Response =>
        x.response = if (own == null) response else limited(response, own)
        x.begin(isMeasured = false)
      case later: Reply.Later =>
        // how long it takes says something of the server only if it does not wait for the client's body
        x.begin(isMeasured = own == null || own.isDone)
        x.listen(later.response)
    }
  }

  /** A refusal is cheap only if little has to be read after it: else it is the connection's last reply. */
  private def limited(response: Response, own: SessionBody): Response =
    if (admission.hasRefused && (own.length < 0 || own.leftKnown > ServerSession.SmallBody))
      admission.lastRefusal(response)
    else response

  /** The one place where a handler is called and where what it throws is caught. */
  private def call(head: Head, request: Request): Reply = {
    admission.beginRequest()
    if (head.method eq Method.CONNECT) ServerSession.noTunnel
    else if (head.pathFrom == head.pathUntil && (head.method eq Method.OPTIONS)) ServerSession.options
    else
      try {
        val reply = ask(request)
        if (reply == null) failed(new NullPointerException("a handler answered null"))
        else
          reply match {
            case later: Reply.Later =>
              val result = later.response.resultOrNull
              if (result == null) later
              else if (!result.isValue) failed(result.error)
              else if (result.value == null) failed(new NullPointerException("a handler answered null"))
              else result.value
            case response => response
          }
      } catch { case NonFatal(e) => failed(e) }
  }

  /** Routes ask whether they may when they have found the one; for another handler it is asked here. */
  private def ask(request: Request): Reply = {
    val route   = handler.routeClass
    val refusal = if (route == null) null else admission.enter(route)
    if (refusal == null) handler(request) else refusal
  }

  /** Answers what is no request we can serve; nothing after it is read. */
  def refuse(error: HttpError, isHead: Boolean = false): Unit = {
    over = true
    giveUpParser()
    body = null
    admission.beginRequest()
    val x = new Exchange(
      this,
      null,
      null,
      isHead,
      1,
      isSafe = true,
      keepAlive = false,
      admission.now,
      Long.MaxValue,
      admission.route
    )
    x.response = error.response
    x.begin(isMeasured = false)
    enqueue(x)
    onceMore = true
  }
}

private[server] object ServerSession {

  /** What is read and dropped of a refused request's body to keep the connection, in octets. */
  final val SmallBody = 64 * 1024

  private val noTunnel = Response(Status.NotImplemented).text("CONNECT is not implemented").close

  /** RFC 9110 §9.3.7: what the server as a whole can do. */
  private val options = Response(Status.Ok).header("Allow", "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS")
}
