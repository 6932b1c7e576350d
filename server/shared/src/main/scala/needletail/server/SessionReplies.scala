package needletail.server

import needletail.async.{Failed, Survivable}
import needletail.http._

/**
 * The output half of a [[ServerSession]]: replies in the order of their requests, each at once, later or in
 * pieces, written to the loop's buffer and handed to the wire when the turn ends.
 */
private[needletail] abstract class SessionReplies(
    protected val wire: Wire,
    protected val context: LoopContext
) {
  protected final def config: ServerConfig = context.config

  final val admission: Admission = context.admission

  /** Replies under way or waiting, in order. */
  protected var first: Exchange         = null
  private var last: Exchange            = null
  protected var inFlight: Int           = 0
  protected var unsafeInFlight: Boolean = false

  protected var inTurn: Boolean   = false
  protected var onceMore: Boolean = false

  /** The client waits for 100 (Continue), and somebody for the body. */
  protected var owesContinue: Boolean = false

  /** No further request is read. */
  protected var over: Boolean     = false
  protected var finished: Boolean = false
  protected var draining: Boolean = false

  /** The whole server ends: streams that only wait for news do, too. */
  protected var isEnding: Boolean = false

  /** A reply has left the queue. */
  protected def roomAgain(): Unit

  /** The reply to this body's request is complete: nobody will read what is left of it. */
  protected def leaveBody(body: SessionBody): Unit

  /** Invites the body that somebody has asked for, where its client waits for that. */
  protected def payContinue(): Unit

  /** A callback that came from elsewhere has changed something. */
  def again(): Unit = if (inTurn) onceMore = true else wire.wake()

  /** Where a failure becomes a response, and is told. */
  def failed(request: Request, cause: Throwable): Response = admission.failed(request, cause)

  /** What is around the handler of all requests. */
  protected def handlerDressed(request: Request, response: Response): Response

  /** A response that is given in place of the handler's, with what is around the handler. */
  def dressed(request: Request, response: Response): Response =
    try handlerDressed(request, request.dressed(response))
    catch { case Survivable(e) => failed(request, e) }

  /** The earliest time at which a handler is too late. */
  protected def handlerDeadline: Long = {
    var d = Long.MaxValue
    var x = first
    while (x != null) {
      if (x.isHandlers && x.deadline < d) d = x.deadline
      x = x.next
    }
    d
  }

  /** Answers for the handlers that are too late. */
  protected def expireHandlers(now: Long): Unit = {
    var x = first
    while (x != null) {
      if (x.isHandlers && x.deadline <= now) {
        context.counts.timeouts += 1
        x.expire(SessionReplies.tooSlow)
      }
      x = x.next
    }
  }

  /** The handler that reads this body has something to do again: its time begins anew. */
  protected def bodyCame(body: SessionBody): Unit = {
    var x = first
    while (x != null) {
      if (x.body eq body) {
        x.deadline = wire.nowNanos + context.handlerNanos
        x.request.dueNanos = x.deadline
      }
      x = x.next
    }
  }

  /** There was no memory for what is to be collected of that body: its request is a refused one. */
  private[server] def bodyRefused(body: SessionBody): Unit = {
    var x = first
    while (x != null && (x.body ne body)) x = x.next
    countMemoryShort(if (x == null) admission.route else x.route)
  }

  protected def countMemoryShort(route: RouteState): Unit = route.refused(Refusal.Memory) += 1

  protected def enqueue(x: Exchange): Unit = {
    if (last == null) first = x else last.next = x
    last = x
    inFlight += 1
    if (!x.isSafe) unsafeInFlight = true
  }

  /**
   * Does more wait for the peer than may? Asked in a turn. What this turn has written is handed over before it is said
   * so: else nobody would come back when the kernel takes all of it at once.
   */
  protected def isBacklogged: Boolean =
    wire.pendingOutput + context.writer.length > config.maxPendingOutput && isStillBacklogged()

  @noinline private def isStillBacklogged(): Boolean = {
    flush()
    wire.pendingOutput > config.maxPendingOutput
  }

  protected def flush(): Unit = {
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

  /** The usual case: the handler has answered when it returns, and nobody is before it. */
  @inline protected def sendNow(
      request: Request,
      own: SessionBody,
      response: Response,
      content: Array[Byte],
      isHead: Boolean,
      minor: Int,
      keepAlive: Boolean,
      started: Long
  ): Unit = {
    val keeps = keepAlive && mayKeep(response, own)
    owesContinue = false
    val w      = context.writer
    val common = context.common
    var sent   = if (isHead) -1 else context.format.whole(w, response, common, minor, keeps)
    if (sent >= 0) { if (w.length > SessionReplies.FlushLimit) flush() }
    else {
      context.format.head(w, response, common, minor, keeps)
      sent = if (isHead || !response.status.allowsBody) 0 else writeContent(content)
    }
    if (!keeps) over = true
    admission.answered(response.status.code)
    closeBook(request, own, response, sent.toLong, started)
  }

  private def writeContent(content: Array[Byte]): Int = {
    val w = context.writer
    if (content.length <= SessionReplies.CopyLimit) {
      w.write(content)
      if (w.length > SessionReplies.FlushLimit) flush()
    } else {
      flush()
      wire.writeOwned(content, 0, content.length)
    }
    content.length
  }

  /** Counts and reports a reply that is complete, and sees to what nobody read of its request. */
  @inline private def closeBook(
      request: Request,
      own: SessionBody,
      response: Response,
      sent: Long,
      started: Long
  ): Unit = {
    val counts = context.counts
    counts.requests += 1
    if (response.status.isError) counts.errors += 1
    if (context.accessLog != null) log(request, response, sent, started)
    if (request != null) request.release()
    if (own != null) {
      own.release()
      leaveBody(own)
    }
  }

  /** A reply of which a part is out will not come to its end. */
  private[server] def cutOff(x: Exchange): Unit =
    if (context.accessLog != null && x.request != null)
      log(x.request, x.response, x.bytesSent, x.startedNanos)

  @noinline private def log(request: Request, response: Response, sent: Long, started: Long): Unit =
    try context.accessLog.served(request, response.status.code, sent, context.nanos - started)
    catch { case Survivable(e) => context.log.error("the access log failed", e) }

  /** May another request follow this reply? */
  @inline private def mayKeep(response: Response, own: SessionBody): Boolean =
    !response.closes && !draining && !over && {
      // of a body that was announced and not asked for, nobody knows whether it will come (RFC 9110 §10.1.1)
      own == null || own.isDone || !own.awaitsInvitation &&
      (response.source != null || (!own.isFailed && own.leftKnown <= config.maxDrain))
    }

  protected def reply(): Unit = {
    var go = true
    while (go && first != null && first.response != null) {
      val x = first
      advance(x)
      if (x.complete) {
        if (first eq x) pop()
        roomAgain()
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
      x.leaveStream()
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
    // the last moment for it, where the reply is made of the body: an interim response can't follow the final one
    if (r.source != null) payContinue()
    if (x.body != null) x.body.isAnswered = true
    x.keeps = x.keepAlive && mayKeepLater(x, r)
    x.framing = context.format.framing(r, x.minor)
    if (x.framing == ResponseEncoder.UntilClose && !x.isHead && r.status.allowsBody) x.keeps = false
    owesContinue = false
    x.mark = context.writer.length
    context.format.head(context.writer, r, context.common, x.minor, x.keeps)
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

  /** Takes a stream as far as it goes, but not so far that the loop's other connections would have to wait. */
  private def pump(x: Exchange): Unit = {
    val w    = context.writer
    val r    = x.response
    val stop = x.bytesSent + SessionReplies.PumpLimit
    var go   = true
    while (go)
      if (
        x.piece == null && !x.isAwaiting &&
        (isBacklogged || context.memory.isTight && wire.isBackedUp)
      )
        go = false
      else if (x.bytesSent >= stop || x.piece == null && !x.isAwaiting && context.memory.isFull) {
        // also of a full memory nothing is left at the end of the turn (MemoryRelief)
        go = false
        wire.wake()
      } else {
        if (x.piece == null && !x.isAwaiting) pull(x, r.source)
        if (x.piece == null && !isProbed) probe()
        if (isEnding && x.piece == null && x.isEventStream) x.endStream()
        val piece = x.piece
        x.piece = null
        if (piece == null) go = false
        else if (!piece.isValue) {
          go = false
          streamFailed(x, piece.error)
        } else
          piece.value match {
            case null | Some(null) =>
              go = false
              streamFailed(x, new NullPointerException("a stream gave null"))
            case Some(bytes) if bytes.length == 0 => // it says nothing, and would end a reply in chunks
              go = false
              wire.wake()
            case Some(bytes) =>
              if (!x.headSent) sendHead(x)
              if (r.sourceLength >= 0 && x.bytesSent + bytes.length > r.sourceLength) {
                context.log.warn("a streamed response had more octets than were announced")
                broken(x)
                go = false
              } else sendPiece(x, bytes)
            case None =>
              if (!x.headSent) sendHead(x)
              if (r.sourceLength >= 0 && x.bytesSent < r.sourceLength) {
                context.log.warn("a streamed response had fewer octets than were announced")
                broken(x)
              } else {
                if (x.framing == ResponseEncoder.Chunked) w.write(ResponseEncoder.lastChunk)
                completed(x)
              }
              go = false
          }
      }
  }

  private var isProbed = false

  /** A stream waits: nothing else would tell that its client is gone, as nothing is written to it. */
  @noinline private def probe(): Unit = {
    isProbed = true
    val seconds = config.streamKeepAlive.toSeconds.toInt
    if (seconds > 0) wire.probeWhenSilent(seconds)
  }

  private def streamFailed(x: Exchange, e: Throwable): Unit = {
    x.leaveStream()
    if (!x.headSent || x.mark >= 0) {
      // nothing has left: the reply becomes another one
      if (x.headSent) context.writer.length = x.mark
      x.headSent = false
      x.bytesSent = 0
      x.response = dressed(x.request, failed(x.request, e))
      advance(x)
    } else {
      if (!e.isInstanceOf[HttpError] && !e.isInstanceOf[ConnectionLost])
        context.log.error(s"a streamed response failed${HandlerFailures.name(x.request)}", e)
      broken(x)
    }
  }

  /** A stream's `cancel` threw. */
  def streamNotLeft(cause: Throwable): Unit = context.log.error("a stream failed to be cancelled", cause)

  private def pull(x: Exchange, source: ByteStream): Unit =
    try x.await(source)
    catch { case Survivable(e) => x.piece = new Failed(e) }

  private def sendPiece(x: Exchange, bytes: Array[Byte]): Unit = {
    val w = context.writer
    if (x.framing == ResponseEncoder.Chunked) ResponseEncoder.chunkHead(w, bytes.length)
    if (bytes.length <= SessionReplies.CopyLimit) w.write(bytes)
    else {
      flush()
      wire.writeOwned(bytes, 0, bytes.length)
    }
    if (x.framing == ResponseEncoder.Chunked) w.writeCrLf()
    x.bytesSent += bytes.length
    if (w.length > SessionReplies.FlushLimit) flush()
  }

  private def completed(x: Exchange): Unit = {
    x.complete = true
    x.end(x.response.status.code)
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

  /** Drops the first reply that has not come, and those behind it. */
  protected def dropUnanswered(): Unit = {
    var before: Exchange = null
    var x                = first
    var kept             = 0
    while (x != null && x.response != null) {
      before = x
      x = x.next
      kept += 1
    }
    if (x != null) {
      context.counts.abandoned += 1
      dropReplies(x)
      if (before != null) {
        before.next = null
        last = before
        inFlight = kept
      }
    }
  }

  protected def dropReplies(from: Exchange): Unit = {
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

private[server] object SessionReplies {

  /** Content up to this many octets is copied behind its head and goes out with it; more is written by itself. */
  final val CopyLimit = 16 * 1024

  /** The writer is emptied once it holds this much. */
  final val FlushLimit = LoopContext.WriterSize - 8 * 1024

  /** Octets of a stream that one turn sends. */
  final val PumpLimit = 512 * 1024

  private val tooSlow = Response(Status.ServiceUnavailable).text("the request took too long")
}

/** The client went away before its request was answered. */
final class ConnectionLost extends RuntimeException("the connection was lost", null, false, false)
