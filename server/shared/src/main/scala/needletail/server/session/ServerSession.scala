package needletail.server.session

import needletail.async.Survivable
import needletail.http.{ConnectionInfo, Reply, Request, RequestView, Response}
import needletail.http.http1.ConnectionRules
import needletail.http.message.{HttpError, Status}
import needletail.server.exchange.{
  BodyOwner,
  BodyReader,
  HeadMemory,
  InputWindow,
  LentWriter,
  PulledStream,
  RequestRunner,
  ServerExchange,
  SessionOutput
}
import needletail.server.failure.ConnectionLost

/**
 * The server's side of one HTTP/1.1 connection, without I/O: bytes are passed to `receive`, replies are written to the
 * [[SessionOutput]], in the order of their requests. All of it happens on the connection's loop.
 *
 * Each entry (`receive`, `proceed`, `peerEnded`, `deadlinePassed`, …) is a turn, which does all it can and, at its
 * end, writes what there is to write. A callback at another time only requests a turn.
 *
 * The session connects its parts, which do not know it, and know only those before them: the connection's state
 * ([[SessionState]]), the available bytes ([[InputWindow]]), the readers of requests ([[RequestReader]]) and of their
 * content ([[BodyReader]]), what runs requests ([[RequestRunner]]), the queue of due replies ([[ReplyQueue]]), what
 * writes them ([[ReplyWriter]]), what refuses requests ([[RefusedRequests]]), and what ends replies that no request
 * follows ([[LastReplies]]).
 */
private[needletail] final class ServerSession(wire: SessionOutput, runner: RequestRunner)
    extends LentWriter.Turn
    with BodyOwner
    with ServerExchange.Owner {
  private val context   = runner.context
  private val admission = runner.admission
  private val state     = new SessionState
  private val input     = new InputWindow(wire)
  private val reader    = new RequestReader(wire, context, state, input)
  private val queue     = new ReplyQueue(state, context.heads)
  private val writer    = new ReplyWriter(wire, runner, state, queue)

  // They have no state, so idle connections have none of them.
  private def refused     = new RefusedRequests(this, runner, input, reader, queue)
  private def lastReplies = new LastReplies(this, context, state, queue)

  private var info: ConnectionInfo = null // requested for the first request

  private var inTurn: Boolean   = false
  private var onceMore: Boolean = false

  /** The deadline of the requests that are read in this turn. */
  private var dueNanos: Long = 0

  // entries

  /**
   * Takes bytes from the client, in an array that belongs to the caller. Returns the index up to which they were used;
   * the rest must be passed again, followed by more.
   */
  @inline def receive(bytes: Array[Byte], from: Int, until: Int): Int = {
    if (state.isHeld) state.on(SessionState.RoomAgain)
    input.open(bytes, from, until)
    turn()
    input.close()
  }

  /** Runs the turn that `wire.wake` has requested, or one after the output has been taken. */
  def proceed(): Unit = turn()

  /**
   * The client will send no more, but may still read replies. Replies that are available soon are written, and streams
   * continue as long as they are read; the rest is cancelled after `halfCloseGrace`. Event streams end then, when they
   * wait for an event: a client that reads events does not end its side unless it has gone.
   *
   * @param isContentKept whether the caller has all the rest of the last request's content, and will pass it
   */
  def peerEnded(isContentKept: Boolean = false): Unit = {
    val isRestKept = isContentKept && state.hasContent && !state.isDropping || reader.hasLast
    if (reader.hasBegunHead) refuse(HttpError(Status.BadRequest, "the request ended before its head did"))
    else if (state.hasContent && !state.isDropping && !isRestKept)
      reader.body.fail(RequestReader.cutOff)
    reader.peerEnded(isRestKept)
    lastReplies.peerEnded(wire.nowNanos)
    turn()
  }

  /** The caller has all the rest of the last request's content, which is not wanted now, and will pass it when it is. */
  def contentIsKept(): Unit = if (reader.isContentUnread) {
    reader.body.restIsKept()
    turn()
  }

  /** The connection is lost: what handlers wait for is cancelled. */
  def peerGone(): Unit = {
    state.on(SessionState.Lost)
    if (reader.body != null) reader.body.fail(new ConnectionLost)
    queue.dropAll()
    reader.end()
  }

  /** The server stops: every reply from now on is the connection's last. */
  def drain(): Unit = {
    lastReplies.endEventStreams()
    takeLast()
  }

  /** The next request is the only one, or the last. */
  def takeLast(): Unit = {
    state.isDraining = true
    if (isIdle) {
      wire.handshakeProceeds() // from here on it counts
      reader.idleAgain()
    }
  }

  /** Responds to a request that cannot be served. Nothing after it is read. A turn must follow. */
  def refuse(error: HttpError, isHead: Boolean = false): Unit = {
    refused.add(error, isHead)
    onceMore = true
  }

  /** The loop's idle timeout has changed. */
  def idleTimeoutChanged(): Unit = if (isIdle && !state.isDraining) reader.idleTimeoutChanged()

  /** Whether the connection has been ended. The session does not use it any more. */
  def isFinished: Boolean = state.isEnded

  /** Whether no request is in progress, and nothing waits to be written. */
  def isIdle: Boolean = state.isIdle && wire.pendingOutput == 0

  /** Whether bytes may be read for this session now. To be called between turns, when the loop's writer is empty. */
  def wantsInput: Boolean =
    if (state.readsHeads)
      queue.length < context.maxPipelined && wire.pendingOutput <= context.maxPendingOutput
    else state.hasContent && reader.isContentWanted || state.isAsking // to notice the client's end

  /** Whether to read all the same, to notice the client's end. `hasUnused`: the connection keeps bytes that were not used. */
  def watchesForEnd(hasUnused: Boolean): Boolean =
    reader.watchesForEnd(!queue.isEmpty, hasUnused || wire.pendingOutput > context.maxPendingOutput)

  // time

  /** When `deadlinePassed` is to be called, in nanoseconds of the loop's clock; MaxValue if never. */
  def deadline: Long =
    if (queue.isEmpty) reader.deadline else Math.min(reader.deadline, queue.deadline)

  /** A deadline has passed: ends what has timed out, if anything has. */
  def deadlinePassed(): Unit = {
    val now = wire.nowNanos
    if (queue.giveUpAt <= now && lastReplies.giveUp(now)) {
      peerGone()
      wire.abort()
    }
    context.counts.timeouts += queue.expireHandlers(now, RequestRunner.tooSlow)
    if (!state.isEnded && reader.deadline <= now) {
      val tooSlow = reader.deadlinePassed(wantsInput, isIdle)
      if (tooSlow != null) refuse(tooSlow)
    }
    turn()
  }

  // memory

  /** What is held for its client, to be asked for now. */
  def memory: SessionMemory = new SessionMemory(state, reader, queue)

  /** Releases memory held for this client: an incomplete request is refused, and reading ends. */
  def relieve(): Unit = if (!state.isEnded) {
    memory.relieve(refused, writer)
    turn()
  }

  // a turn

  @inline private def turn(): Unit = if (!state.isEnded) context.lent.lend(this)

  def work(): Unit = {
    inTurn = true
    val now = wire.nowNanos
    dueNanos = now + context.handlerNanos
    admission.beginTurn()
    onceMore = true
    while (onceMore) {
      onceMore = false
      if (reader.body != null) writer.invite(reader.body)
      read()
      if (queue.isReady) reply()
    }
    state.turnEnded()
    writer.flush()
    admission.endTurn()
    inTurn = false
    if (state.isEnded) {
      reader.end()
      if (writer.switchesTo == null) wire.finish() else wire.switchTo(writer.switchesTo, info)
    } else reader.settleDeadline(now)
  }

  /** It is not known what has been written, so nothing more is. */
  def aborted(cause: Throwable): Unit = {
    inTurn = false
    state.on(SessionState.Lost)
    wire.abort()
    if (!Survivable(cause)) throw cause
    context.counts.failures += 1
    context.log.error("a connection was closed because of an exception", cause)
    reader.abort()
    queue.dropAll()
  }

  /** The reply to a request, or a piece of it, is available: it is written in this turn, or a turn is requested. */
  def exchangeChanged(): Unit = if (inTurn) onceMore = true else wire.wake()

  // reading

  private def read(): Unit = {
    // loaded once for all requests of the turn, as a call of a handler may change any field, for all the compiler knows
    val state   = this.state
    val input   = this.input
    val queue   = this.queue
    val reader  = this.reader
    val writer  = this.writer
    val context = this.context
    var go      = true
    while (go)
      if (state.readsHeads)
        if (input.isEmpty || queue.length >= context.maxPipelined || writer.isBacklogged) go = false
        else {
          val parser = reader.readHead()
          if (parser == null) {
            noHead()
            go = false
          } else {
            val head = parser.view
            if (queue.mustWait(head)) reader.headWaits(head)
            else {
              input.skip(reader.headSize)
              serve(head)
            }
            context.giveParser(parser)
          }
        }
      else if (state.hasContent) go = readContent()
      else {
        if (state.isClosed && writer.switchesTo == null) input.skipAll()
        go = false
      }
  }

  @noinline private def noHead(): Unit = if (refused.addUnserved()) onceMore = true

  private def readContent(): Boolean =
    if (state.isDropping) reader.drop()
    else if (!reader.body.isWanted || input.isEmpty) {
      reader.body.leaveInWindow()
      false
    } else {
      val now = wire.nowNanos
      reader.body.waitEnds(now)
      // before it is delivered, as its reader may ask for the time left
      queue.extend(reader.body, now, context.handlerNanos)
      reader.feed()
    }

  // events of the content that is read

  def bodyWanted(body: BodyReader): Unit = {
    reader.contentWanted()
    exchangeChanged()
  }

  def bodyUnwanted(body: BodyReader): Unit = if (reader.body eq body) {
    queue.putOff(body, body.waitEnds(wire.nowNanos))
    reader.contentUnwanted()
    exchangeChanged() // its handler's time counts
  }

  def bodyEnded(body: BodyReader): Unit = if (reader.body eq body) {
    reader.contentEnded()
    if (inTurn && !input.isEmpty) onceMore = true // read by the reply: nobody else looks at what is behind it
  }

  def bodyFailed(body: BodyReader): Unit = {
    queue.putOff(body, body.waitEnds(wire.nowNanos)) // before the handler goes on with the failure
    reader.stop()
    exchangeChanged()
  }

  def bodyRefused(body: BodyReader): Unit = refused.countForMemory(body)

  // requests

  private def serve(head: RequestView): Unit = {
    val hasContent = head.chunked || head.contentLength > 0
    if (info == null) info = wire.info
    if (hasContent && head.contentLength > context.maxBody) refuseLarge(head)
    else {
      state.requested(hasContent, !head.keepAlive)
      val own     = if (hasContent) reader.beginContent(head, this) else null
      val started = admission.now
      val request = new Request(head, head.generation, if (hasContent) own else context.noBody, info)
      request.dueNanos = dueNanos
      runner.run(head, request) match {
        case response: Response if queue.isEmpty =>
          if (response.source == null) {
            val limited = if (own == null) response else runner.limited(response, own)
            writeNow(request, own, limited, response.content, head, started)
          } else serveStream(head, request, own, response, started)
        case reply => serveLater(head, request, own, reply, started)
      }
    }
  }

  @inline private def writeNow(
      request: Request,
      own: BodyReader,
      response: Response,
      content: Array[Byte],
      head: RequestView,
      started: Long
  ): Unit = {
    writer.write(request, own, response, content, head, started)
    if (own != null) reader.leave(own)
  }

  /** A short stream is often available at once, as when a handler echoes content that came with its head. */
  @noinline private def serveStream(
      head: RequestView,
      request: Request,
      own: BodyReader,
      response: Response,
      started: Long
  ): Unit = {
    if (!ReplyOutput.isCopied(response, head)) serveLater(head, request, own, response, started)
    else {
      val length  = response.sourceLength
      val source  = response.source
      val first   = PulledStream.pull(source)
      val isWhole = PulledStream.hasLength(first, length) && (own == null || own.isDone)
      val second  = if (isWhole) PulledStream.pull(source) else null
      if (isWhole && PulledStream.isEnd(second))
        writeNow(request, own, response, PulledStream.content(first), head, started)
      else {
        val rest = response.stream(new PulledStream(first, second, source), length)
        serveLater(head, request, own, rest, started)
      }
    }
  }

  /** The reply cannot be written now: it comes later, is streamed, or another one is before it. */
  @noinline private def serveLater(
      head: RequestView,
      request: Request,
      own: BodyReader,
      reply: Reply,
      started: Long
  ): Unit = {
    val x = ServerExchange(this, runner, head, request, own, started, request.dueNanos)
    runner.detach(request, x)
    queue.add(x)
    if (reader.headSize > HeadMemory.Uncounted || queue.length > 1) x.holdHead(reader.headSize)
    if (own == null && ConnectionRules.asksForUpgrade(head)) state.on(SessionState.UpgradeAsked)
    reply match {
      case response: Response =>
        x.response = runner.limited(response, own)
        x.begin(limitedBy = null)
      case later: Reply.Later =>
        // its duration reflects the server's load only if it does not wait for the client's content
        x.begin(if (admission.isWaiting || own != null && !own.isDone) null else admission.admittedTo)
        x.listen(later.response)
    }
  }

  @noinline private def refuseLarge(head: RequestView): Unit = {
    refused.addLarge(head, info)
    onceMore = true
  }

  // replies

  @noinline private def reply(): Unit = {
    var go = true
    while (go && queue.isReady) {
      val x = queue.first
      writer.advance(x)
      go = x.complete
      if (go) {
        if (x.body != null) reader.leave(x.body)
        val asked = state.isAsking
        if (queue.first eq x) queue.pop()
        if (reader.body != null && (queue.isEmpty || (queue.first.body eq reader.body))) reader.replyIsDue()
        if (!input.isEmpty) onceMore = true
        else if (asked && !state.isAsking) wire.offerAgain() // what is behind the request is HTTP after all
      }
    }
  }
}
