package needletail.server

import scala.util.control.NonFatal

import needletail.async.Failed
import needletail.http._

/**
 * The server's side of one HTTP/1.1 connection, without any input or output of its own: octets go in by
 * `receive`, replies come out at the [[Wire]], in the order of their requests.
 *
 * Everything happens in turns: each entry (`receive`, `proceed`, `peerEnded`, `deadlinePassed`) does all it can
 * and then writes, once, what there is to write. Callbacks that come from elsewhere only ask for a turn.
 */
private[server] final class ServerSession(wire: Wire, handler: Handler, context: LoopContext) {
  private val config = context.config

  /** The octets of the present turn that have not been used; no array outside of `receive`. */
  private var in: Array[Byte] = null
  private var inAt: Int       = 0
  private var inUntil: Int    = 0

  private var inTurn: Boolean    = false
  private var onceMore: Boolean  = false

  /** Set while a head has come in part. */
  private var parser: HeadParser = null

  /** Set while a body has not been read to its end. */
  private var body: SessionBody = null

  /** Replies under way or waiting, in order. */
  private var first: Exchange         = null
  private var last: Exchange          = null
  private var inFlight: Int           = 0
  private var unsafeInFlight: Boolean = false

  /** A whole head lies in the window that must wait for the replies before it. */
  private var held: Boolean = false

  /** The client waits for 100 (Continue), and somebody for the body. */
  private var owesContinue: Boolean = false

  /** No further request is read. */
  private var over: Boolean     = false
  private var finished: Boolean = false
  private var draining: Boolean = false

  private var idleSince: Long    = wire.nowNanos
  private var readDeadline: Long = idleSince + context.idleNanos

  // what the body reads from

  def window: Array[Byte] = in
  def position: Int       = inAt
  def limit: Int          = inUntil
  def available: Int      = inUntil - inAt
  def skip(n: Int): Unit  = inAt += n
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

  /** The peer will send no more. What it asked for is still answered. */
  def peerEnded(): Unit = {
    if (parser != null && parser.started) refuse(HttpError(Status.BadRequest, "the request ended before its head did"))
    else if (body != null && !body.dropping)
      body.fail(HttpError(Status.BadRequest, "the request ended before its body did"))
    stopReading()
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
  def isIdle: Boolean = first == null && parser == null && body == null && !finished && wire.pendingOutput == 0

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
    var d = readDeadline
    var x = first
    while (x != null) {
      if (x.isHandlers && x.deadline < d) d = x.deadline
      x = x.next
    }
    d
  }

  def deadlinePassed(): Unit = {
    val now = wire.nowNanos
    var x   = first
    while (x != null) {
      if (x.isHandlers && x.deadline <= now) {
        context.counts.timeouts += 1
        x.expire(ServerSession.tooSlow)
      }
      x = x.next
    }
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

  /** A callback that came from elsewhere has changed something. */
  def again(): Unit = if (inTurn) onceMore = true else wire.wake()

  // a turn

  private def turn(): Unit = if (!finished) {
    inTurn = true
    onceMore = true
    while (onceMore) {
      onceMore = false
      payContinue()
      read()
      reply()
    }
    if (over && first == null) finished = true
    flush()
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

  private def flush(): Unit = {
    val w = context.writer
    if (w.length > 0) {
      wire.write(w.bytes, 0, w.length)
      w.clear()
      var x = first
      while (x != null) {
        x.mark = -1
        x = x.next
      }
    }
  }

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
      val fed = b.feed()
      var x   = first
      while (x != null) {
        if (x.body eq b) x.deadline = wire.nowNanos + context.handlerNanos
        x = x.next
      }
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
    val length = head.contentLength
    if (length > config.maxBody)
      refuse(HttpError(Status.ContentTooLarge, s"the body is larger than ${config.maxBody} bytes"))
    else {
      val hasBody = head.chunked || length > 0
      if (hasBody)
        body = new SessionBody(
          this,
          if (head.chunked) -1 else length,
          config.maxBody,
          config.maxBodyInMemory,
          head.expectContinue,
          if (head.chunked) new ChunkedDecoder(config.maxHead, config.maxHeaders) else null
        )
      val own     = body
      val started = if (context.accessLog != null) System.nanoTime() else 0L
      val request = new Request(head, head.generation, if (hasBody) own else Body.empty, wire.info)
      val isHead  = head.method eq Method.HEAD
      val reply   = call(head, request)
      reply match {
        case response: Response if first == null && response.source == null =>
          sendNow(request, own, response, isHead, head.minor, head.keepAlive, started)
        case _ =>
          val x = new Exchange(
            this,
            request,
            own,
            isHead,
            head.minor,
            head.method.isSafe,
            head.keepAlive,
            started,
            wire.nowNanos + context.handlerNanos
          )
          request.detach()
          enqueue(x)
          reply match {
            case response: Response => x.response = response
            case later: Reply.Later => x.listen(later.response)
          }
      }
    }
  }

  /** The one place where a handler is called and where what it throws is caught. */
  private def call(head: Head, request: Request): Reply =
    if (head.method eq Method.CONNECT) ServerSession.noTunnel
    else if (head.pathFrom == head.pathUntil && (head.method eq Method.OPTIONS)) ServerSession.options
    else
      try {
        val reply = handler(request)
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

  /** The one place where a failure becomes a response: its own for an HttpError, else a 500 that says nothing. */
  def failed(cause: Throwable): Response = cause match {
    case e: HttpError                    => e.response
    case _: needletail.async.TimedOut    => ServerSession.tooSlow
    case _: needletail.async.Rejected    => ServerSession.tooMany
    case _: ConnectionLost               => ServerSession.internal
    case e =>
      context.counts.failures += 1
      config.log.error("a handler failed", e)
      ServerSession.internal
  }

  def observerFailed(cause: Throwable): Unit = config.log.error("an observer of a request's body failed", cause)

  /** Answers what is no request we can serve; nothing after it is read. */
  private def refuse(error: HttpError, isHead: Boolean = false): Unit = {
    over = true
    giveUpParser()
    body = null
    val x = new Exchange(this, null, null, isHead, 1, isSafe = true, keepAlive = false, 0L, Long.MaxValue)
    x.response = error.response
    enqueue(x)
    onceMore = true
  }

  private def enqueue(x: Exchange): Unit = {
    if (last == null) first = x else last.next = x
    last = x
    inFlight += 1
    if (!x.isSafe) unsafeInFlight = true
  }

  // replying

  /** The usual case: the handler has answered when it returns, and nobody is before it. */
  private def sendNow(
      request: Request,
      own: SessionBody,
      response: Response,
      isHead: Boolean,
      minor: Int,
      keepAlive: Boolean,
      started: Long
  ): Unit = {
    val keeps = keepAlive && mayKeep(response, own)
    owesContinue = false
    ResponseEncoder.head(context.writer, response, context.common, minor, keeps)
    val sent = if (isHead || !response.status.allowsBody) 0 else writeContent(response.content)
    if (!keeps) over = true
    closeBook(request, own, response, sent.toLong, started)
  }

  private def writeContent(content: Array[Byte]): Int = {
    val w = context.writer
    if (content.length <= ServerSession.CopyLimit) {
      w.write(content)
      if (w.length > ServerSession.FlushLimit) flush()
    } else {
      flush()
      wire.writeOwned(content, 0, content.length)
    }
    content.length
  }

  /** Counts and reports a reply that is complete, and sees to what nobody read of its request. */
  private def closeBook(request: Request, own: SessionBody, response: Response, sent: Long, started: Long): Unit = {
    val counts = context.counts
    counts.requests += 1
    if (response.status.isError) counts.errors += 1
    if (context.accessLog != null)
      try context.accessLog.served(request, response.status.code, sent, if (started == 0) 0 else System.nanoTime() - started)
      catch { case NonFatal(e) => config.log.error("the access log failed", e) }
    if (request != null) request.release()
    if (own != null && (body eq own)) {
      own.dropping = true
      if (over) body = null
      else {
        own.waitsSince = wire.nowNanos
        readDeadline = own.waitsSince + context.bodyNanos
      }
    }
  }

  /** May another request follow this reply? */
  private def mayKeep(response: Response, own: SessionBody): Boolean =
    !response.closes && !draining && !over && {
      own == null || own.isDone || response.source != null ||
      (!own.isFailed && !(own.expectsContinue && own.total == 0) && own.leftKnown <= config.maxDrain)
    }

  private def reply(): Unit = {
    var go = true
    while (go && first != null && first.response != null) {
      val x = first
      advance(x)
      if (x.complete) {
        if (first eq x) pop()
        if (inAt < inUntil) onceMore = true
      } else go = false
    }
  }

  private def pop(): Unit = {
    first = first.next
    inFlight -= 1
    if (first == null) {
      last = null
      unsafeInFlight = false
    }
    held = false
  }

  /** Takes a reply as far as it goes now. */
  private def advance(x: Exchange): Unit = {
    val r         = x.response
    val noContent = x.isHead || !r.status.allowsBody
    if (r.source == null) {
      if (!x.headSent) sendHead(x)
      if (!noContent) x.bytesSent += writeContent(r.content)
      completed(x)
    } else if (noContent) {
      r.source.cancel()
      if (!x.headSent) sendHead(x)
      completed(x)
    } else {
      // While the request's body is still coming, its first faults decide the status: the head waits for the
      // first piece, and until it has left for the kernel it can be taken back.
      if (!x.headSent && (x.body == null || x.body.isDone)) sendHead(x)
      pump(x)
    }
  }

  private def sendHead(x: Exchange): Unit = {
    val r = x.response
    x.keeps = x.keepAlive && mayKeepLater(x, r)
    x.framing = ResponseEncoder.framing(r, x.minor)
    if (x.framing == ResponseEncoder.UntilClose && !x.isHead && r.status.allowsBody) x.keeps = false
    owesContinue = false
    x.mark = context.writer.length
    ResponseEncoder.head(context.writer, r, context.common, x.minor, x.keeps)
    x.headSent = true
    if (!x.keeps) {
      over = true
      dropReplies(x.next)
      x.next = null
      last = x
      inFlight = 1
    }
  }

  private def mayKeepLater(x: Exchange, r: Response): Boolean = {
    val wasOver = over
    over = false // `over` here may mean only that the peer has ended, or that this request is the last
    val keep = mayKeep(r, x.body)
    over = wasOver
    keep && !(over && x.next == null)
  }

  private def pump(x: Exchange): Unit = {
    val w    = context.writer
    val r    = x.response
    var go   = true
    while (go)
      if (x.piece == null && !x.isAwaiting && wire.pendingOutput + w.length > config.maxPendingOutput) go = false
      else {
        if (x.piece == null && !x.isAwaiting) pull(x, r.source)
        val piece = x.piece
        x.piece = null
        if (piece == null) go = false
        else if (!piece.isValue) {
          go = false
          streamFailed(x, piece.error)
        } else
          piece.value match {
            case Some(bytes) =>
              if (!x.headSent) sendHead(x)
              if (r.sourceLength >= 0 && x.bytesSent + bytes.length > r.sourceLength) {
                config.log.warn("a streamed response had more octets than were announced")
                broken(x)
                go = false
              } else sendPiece(x, bytes)
            case None =>
              if (!x.headSent) sendHead(x)
              if (r.sourceLength >= 0 && x.bytesSent < r.sourceLength) {
                config.log.warn("a streamed response had fewer octets than were announced")
                broken(x)
              } else {
                if (x.framing == ResponseEncoder.Chunked) w.write(ResponseEncoder.lastChunk)
                completed(x)
              }
              go = false
          }
      }
  }

  private def streamFailed(x: Exchange, e: Throwable): Unit = {
    x.response.source.cancel()
    if (!x.headSent || x.mark >= 0) {
      // nothing has left: the reply becomes another one
      if (x.headSent) context.writer.length = x.mark
      x.headSent = false
      x.bytesSent = 0
      x.response = failed(e)
      advance(x)
    } else {
      if (!e.isInstanceOf[HttpError] && !e.isInstanceOf[ConnectionLost])
        config.log.error("a streamed response failed", e)
      broken(x)
    }
  }

  private def pull(x: Exchange, source: ByteStream): Unit =
    try x.await(source)
    catch { case NonFatal(e) => x.piece = new Failed(e) }

  private def sendPiece(x: Exchange, bytes: Array[Byte]): Unit = {
    val w = context.writer
    if (x.framing == ResponseEncoder.Chunked) ResponseEncoder.chunkHead(w, bytes.length)
    if (bytes.length <= ServerSession.CopyLimit) w.write(bytes)
    else {
      flush()
      wire.writeOwned(bytes, 0, bytes.length)
    }
    if (x.framing == ResponseEncoder.Chunked) w.writeCrLf()
    x.bytesSent += bytes.length
    if (w.length > ServerSession.FlushLimit) flush()
  }

  private def completed(x: Exchange): Unit = {
    x.complete = true
    closeBook(x.request, x.body, x.response, x.bytesSent, x.startedNanos)
  }

  /**
   * A reply that can't be completed. The peer can tell by its framing (RFC 9112 §8); where that is the
   * connection's end, the end must be a disorderly one.
   */
  private def broken(x: Exchange): Unit = {
    x.letGo()
    dropReplies(first)
    over = true
    if (x.framing == ResponseEncoder.UntilClose) {
      finished = true
      flush()
      wire.abort()
    }
  }

  private def dropReplies(from: Exchange): Unit = {
    var x = from
    if (from eq first) {
      first = null
      last = null
      inFlight = 0
    }
    while (x != null) {
      val next = x.next
      x.letGo()
      x = next
    }
  }
}

private[server] object ServerSession {

  /** Content up to this many octets is copied behind its head and goes out with it; more is written by itself. */
  final val CopyLimit = 16 * 1024

  /** The writer is emptied once it holds this much. */
  final val FlushLimit = LoopContext.WriterSize - 8 * 1024

  private val internal = Response(Status.InternalServerError).text("internal server error")
  private val tooSlow  = Response(Status.ServiceUnavailable).text("the request took too long")
  private val tooMany  = Response(Status.ServiceUnavailable).header("Retry-After", "1").text("too much to do")
  private val noTunnel = Response(Status.NotImplemented).text("CONNECT is not implemented").close

  /** RFC 9110 §9.3.7: what the server as a whole can do. */
  private val options = Response(Status.Ok).header("Allow", "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS")
}

/** The client went away before its request was answered. */
final class ConnectionLost extends RuntimeException("the connection was lost", null, false, false)
