package needletail.server.session

import java.io.IOException

import needletail.async.{Async, Failed, Survivable}
import needletail.http.{ByteStream, Refusal, Request, RequestView, Response, ResponseEncoder, Upgrade}
import needletail.http.message.{HttpError, Status}
import needletail.io.FileOutput
import needletail.server.exchange.{BodyReader, RequestRunner, ServerExchange, SessionOutput}
import needletail.server.failure.{ConnectionLost, HandlerFailures}

/**
 * Writes the replies of one HTTP/1.1 connection to the loop's writer, and the writer's content to the connection at
 * the end of a turn, or earlier if it has become much. Methods that write must be called in a turn only; see
 * [[LentWriter]].
 */
private[server] final class ReplyWriter(
    to: SessionOutput,
    runner: RequestRunner,
    state: SessionState,
    replies: ReplyQueue
) extends ReplyOutput(to, runner.context, replies) {
  private var isProbed = false

  /** Writes 100 (Continue) if the client waits for it and the content is being read. */
  def invite(body: BodyReader): Unit =
    if (body.takeInvitation()) context.writer.write(ResponseEncoder.continueLine)

  // a reply that is available when its handler returns, with none before it: the usual case

  /**
   * Writes the whole reply to the request with that head, with this content, and counts it. The connection's state tells
   * whether another may follow.
   */
  @inline def write(
      request: Request,
      body: BodyReader,
      response: Response,
      content: Array[Byte],
      head: RequestView,
      startedNanos: Long
  ): Unit = {
    val context = this.context // loaded once, as a call may change any field, for all the compiler knows
    val isHead  = head.method.isHead
    val minor   = head.minor
    val keeps   = head.keepAlive && mayKeep(response, body, isLastReply = true)
    val w       = context.writer
    val common  = context.common
    val isReady = !isHead && response.rendered != null
    var sent    = if (isReady) context.format.whole(w, response, common, minor, keeps) else -1
    if (sent >= 0) { if (w.length > ReplyOutput.FlushLimit) flush() }
    else {
      context.format.head(w, response, common, minor, keeps)
      sent = if (isHead || !response.status.allowsBody) 0 else writeContent(content)
    }
    if (!keeps) state.on(SessionState.LastReply)
    context.admission.answered(response.status.code)
    runner.served(request, response, sent.toLong, startedNanos)
    if (body != null) body.release()
  }

  /** Whether another request may follow this reply. */
  @inline private def mayKeep(response: Response, body: BodyReader, isLastReply: Boolean): Boolean =
    !response.closes && state.mayKeep(isLastReply) && {
      // if the client was not asked for announced content, it may or may not send it (RFC 9110 §10.1.1)
      body == null || body.isDone || !body.awaitsInvitation &&
      (response.source != null || (!body.isFailed && body.leftKnown <= context.config.maxUnreadBody))
    }

  // any other reply

  /**
   * Writes as much of the queue's first reply, which is available, as is possible in this turn. Afterwards the
   * exchange is complete, or waits for a piece of its stream, for another turn, or for the client to read. If the
   * reply is broken off, the queue is empty.
   */
  def advance(x: ServerExchange): Unit = {
    val r         = x.response
    val noContent = x.isHead || !r.status.allowsBody
    if (r.source == null) {
      if (!x.headSent) writeHead(x)
      if (!noContent) x.bytesSent += writeContent(r.content)
      completed(x)
    } else if (Upgrade.of(r) != null) upgrade(x, Upgrade.of(r))
    else if (noContent) {
      x.leaveStream()
      if (!x.headSent) writeHead(x)
      completed(x)
    } else {
      // While the request's content is still coming, an error in it decides the status: the head waits for the first
      // piece, and can be replaced until it has been passed on. `ServerExchange.isHeld` limits that.
      if (!x.headSent && (x.body == null || x.body.isDone || x.body.isAtHand)) writeHead(x)
      r.source match {
        case file: FileOutput if wire.sendsFiles && x.framing == ResponseEncoder.Fixed && file.isSendable =>
          if (!x.headSent) writeHead(x)
          sendFile(x, file)
        case _ => pump(x)
      }
    }
  }

  /** Has the kernel send what it takes now of a file, with the same limit as `pump`. */
  private def sendFile(x: ServerExchange, file: FileOutput): Unit = {
    flush()
    x.countPart()
    val from = x.bytesSent
    val stop = from + Math.max(1L, turnLeft)
    var go   = true
    while (go) {
      val part = x.part
      if (wire.isBackedUp) go = false
      else if (part != null && part.isCut) {
        go = false
        streamFailed(x, new IOException("the file became shorter while it was sent"))
      } else if (part != null && part.isRefused) {
        go = false
        x.part = null
        file.readFrom(part.position)
        pump(x)
      } else if (part != null && part.left == 0) {
        x.part = null
        if (x.bytesSent == x.response.sourceLength) {
          go = false
          x.leaveStream()
          completed(x)
        }
      } else if (part == null || wire.nowNanos - part.freshUntil > 0) go = takePart(x, file)
      else if (x.bytesSent >= stop) {
        go = false
        wire.wake()
      } else {
        val before = part.position
        wire.send(part, (stop - x.bytesSent).toInt)
        x.countPart()
        if (part.position == before && !part.isCut && !part.isRefused) go = false // backed up, or lost
      }
    }
    countWritten(x.bytesSent - from)
  }

  /** The next part, if it is available. */
  private def takePart(x: ServerExchange, file: FileOutput): Boolean = {
    if (x.nextPart == null && !x.isAwaiting)
      try x.awaitPart(file)
      catch { case Survivable(e) => x.nextPart = new Failed(e) }
    val next = x.nextPart
    x.nextPart = null
    if (next == null) false
    else if (next.isValue && next.value.left > 0) {
      x.begin(next.value)
      true
    } else {
      streamFailed(
        x,
        if (next.isValue) new IOException("the file was shorter than its announced length") else next.error
      )
      false
    }
  }

  /** The protocol that the connection has been promised to; null if none. */
  var switchesTo: Upgrade.Accepted = null

  /** What came behind the last request, which asks for another protocol, has been dropped, as memory was short. */
  var hasDropped: Boolean = false

  private def refusedForMemory(x: ServerExchange): Response = {
    x.wasRefused = true
    x.route.refused(Refusal.Memory) += 1
    context.memoryShort
  }

  /** The reply hands the connection over, if request and connection allow it: otherwise the reply says why not. */
  @noinline private def upgrade(x: ServerExchange, to: Upgrade): Unit = {
    val refusal =
      if (!wire.canSwitch) ReplyWriter.cannotSwitch
      else if (state.isDraining) ReplyWriter.isEnding
      else
        to.accept(x.request) match {
          case refused: Upgrade.Refused   => refused.response
          case accepted: Upgrade.Accepted =>
            if (hasDropped && x.next == null) refusedForMemory(x)
            else if (!state.isAsking || x.next != null) ReplyWriter.notAsked
            else {
              switchesTo = accepted
              null
            }
        }
    if (refusal == null) {
      x.response = x.response.withHeaders(switchesTo.headers ++ to.switching)
      writeHead(x)
      completed(x)
      state.on(SessionState.Switched)
    } else {
      x.response = runner.dressed(x.request, refusal)
      advance(x)
    }
  }

  private def writeHead(x: ServerExchange): Unit = {
    val r = x.response
    // an interim response must not follow the final one
    if (x.body != null) {
      if (r.source != null) invite(x.body)
      x.body.headWritten()
    }
    // handing over is not closing, also for a client that sends no other request
    x.keeps = switchesTo != null || x.keepAlive && mayKeep(r, x.body, isLastReply = x.next == null)
    x.framing = context.format.framing(r, x.minor)
    if (x.framing == ResponseEncoder.UntilClose && !x.isHead && r.status.allowsBody) x.keeps = false
    x.mark = context.writer.length
    context.format.head(context.writer, r, context.common, x.minor, x.keeps)
    x.headSent = true
    if (!x.keeps) {
      state.on(SessionState.LastReply)
      queue.dropOthers()
    }
  }

  /** Writes available pieces of a stream, with a limit so that the loop's other connections need not wait. */
  private def pump(x: ServerExchange): Unit = {
    val r    = x.response
    val stop = x.bytesSent + Math.max(1L, turnLeft)
    var left = ReplyWriter.PumpPieces
    var go   = true
    while (go)
      if (
        x.piece == null && !x.isAwaiting &&
        (isBacklogged || context.memory.isTight && wire.isBackedUp)
      ) {
        go = false
        endEvents(x)
      } else if (
        x.bytesSent >= stop || left == 0 || x.piece == null && !x.isAwaiting && context.memory.isFull
      ) {
        // also if the memory is full, which ends after this (MemoryRelief)
        go = false
        if (!endEvents(x)) wire.wake()
      } else {
        if (x.piece == null && !x.isAwaiting) pull(x, r.source)
        if (x.piece == null && !isProbed) probe()
        if (state.endsEvents && x.piece == null && x.isEventStream) x.endStream()
        val piece = x.piece
        x.piece = null
        if (piece == null) {
          go = false
          if (x.headSent && x.bytesSent == r.sourceLength) {
            // all that was announced has been sent; that a stream does not say that it has ended is no one's concern
            x.stopStream()
            completed(x)
          }
        } else if (!piece.isValue) {
          go = false
          streamFailed(x, piece.error)
        } else
          piece.value match {
            case null | Some(null) =>
              go = false
              streamFailed(x, new NullPointerException("a stream returned null"))
            case Some(bytes) if bytes.length == 0 => // as a chunk it would end the reply
              go = false
              wire.wake()
            case Some(bytes) =>
              if (!x.headSent) writeHead(x)
              val count = if (bytes eq BodyReader.part) x.body.partLength else bytes.length
              if (r.sourceLength >= 0 && x.bytesSent + count > r.sourceLength) {
                tellOfLength("more", x)
                broken(x)
                go = false
              } else {
                left -= 1
                writePiece(x, bytes, count)
              }
            case None =>
              streamEnded(x)
              go = false
          }
      }
  }

  /** Event streams that always have more end, too, when they are to. Returns whether this one has been ended. */
  private def endEvents(x: ServerExchange): Boolean =
    state.endsEvents && x.piece == null && x.isEventStream && {
      x.endStream()
      x.piece = null
      streamEnded(x)
      true
    }

  private def streamEnded(x: ServerExchange): Unit = {
    if (!x.headSent) writeHead(x)
    if (x.response.sourceLength >= 0 && x.bytesSent < x.response.sourceLength) {
      tellOfLength("fewer", x)
      broken(x)
    } else {
      if (x.framing == ResponseEncoder.Chunked) context.writer.write(ResponseEncoder.lastChunk)
      completed(x)
    }
  }

  /** A stream waits. As nothing is written, a vanished client would not be noticed: makes the kernel probe it. */
  @noinline private def probe(): Unit = {
    isProbed = true
    val seconds = context.config.streamKeepAlive.toSeconds.toInt
    if (seconds > 0) wire.probeWhenSilent(seconds)
  }

  private def pull(x: ServerExchange, source: ByteStream): Unit =
    try x.await(if (x.isEcho) nextPart(x.body) else source.next())
    catch { case Survivable(e) => x.piece = new Failed(e) }

  /** Content that is sent back passes from the connection's input to its output, without an array of its own. */
  private def nextPart(body: BodyReader): Async[Option[Array[Byte]]] = {
    val next = body.nextPart()
    if (body.isWanted && !wire.isBackedUp)
      wire.expectInput(Math.min(body.leftKnown, Int.MaxValue.toLong).toInt)
    next
  }

  private def streamFailed(x: ServerExchange, e: Throwable): Unit = {
    x.leaveStream()
    if (!x.headSent || x.mark >= 0) {
      // nothing was passed on: the reply can be replaced
      if (x.headSent) context.writer.length = x.mark
      x.headSent = false
      x.bytesSent = 0
      val failed = runner.failed(x.request, e)
      // a wrapper may have made a stream of the failure, too, which fails like the first
      x.response = if (x.isReplaced) ServerExchange.internal else runner.dressed(x.request, failed)
      x.isReplaced = true
      advance(x)
    } else {
      // what is wrong with the request's content is its client's concern
      val isClients = e.isInstanceOf[HttpError] && x.body != null && x.body.isFailed
      if (!isClients && !e.isInstanceOf[ConnectionLost])
        context.log.error(s"a streamed response failed${HandlerFailures.name(x.request)}", e)
      broken(x)
    }
  }

  private def tellOfLength(what: String, x: ServerExchange): Unit = context.log.warn(
    s"a streamed response had $what bytes than were announced${HandlerFailures.name(x.request)}"
  )

  private def writePiece(x: ServerExchange, bytes: Array[Byte], count: Int): Unit = {
    val w = context.writer
    if (x.framing == ResponseEncoder.Chunked) ResponseEncoder.chunkHead(w, count)
    if (bytes eq BodyReader.part) writePart(x.body)
    else if (count <= ReplyOutput.CopyLimit) w.write(bytes)
    else flushWith(bytes, 0, count, mayKeep = true)
    if (x.framing == ResponseEncoder.Chunked) w.writeCrLf()
    x.bytesSent += count
    if (w.length > ReplyOutput.FlushLimit) flush()
  }

  private def completed(x: ServerExchange): Unit = {
    x.complete = true
    x.end(x.response.status.code)
    runner.served(x.request, x.response, x.bytesSent, x.startedNanos)
    if (x.body != null) x.body.release()
  }

  /**
   * The reply cannot be completed, and the connection ends. The client detects it by the reply's framing (RFC 9112
   * §8); if the reply ends with the connection, the connection must be reset.
   */
  private def broken(x: ServerExchange): Unit = {
    queue.dropAll()
    state.on(SessionState.LastReply)
    if (x.framing == ResponseEncoder.UntilClose) {
      state.on(SessionState.Lost)
      flush()
      wire.abort()
    }
  }
}

private[server] object ReplyWriter {

  private val cannotSwitch =
    Response(Status.NotImplemented).text("this server cannot switch to another protocol here")
  private val isEnding =
    Response(Status.ServiceUnavailable).text("the server is shutting down").header("Retry-After", "1")
  private val notAsked = Response(Status.BadRequest)
    .text("this request cannot switch to another protocol: it has content, or no Connection: upgrade")

  /** Pieces of a stream that one turn writes: tiny ones cost time, too. */
  final val PumpPieces = 256
}
