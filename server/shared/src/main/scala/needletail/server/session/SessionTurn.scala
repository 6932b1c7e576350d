package needletail.server.session

import needletail.async.Survivable
import needletail.http.{ConnectionInfo, Reply, Request, RequestView, Response}
import needletail.http.http1.ConnectionRules
import needletail.http.message.HttpError
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

/**
 * A turn of a [[ServerSession]]: reads requests and their content, runs them, and writes the replies that are due, as long
 * as anything of that can go on. What happens at another time only requests a turn.
 *
 * It connects the session's parts, which do not know it, and know only those before them: the connection's state
 * ([[SessionState]]), the available bytes ([[InputWindow]]), the readers of requests ([[RequestReader]]) and of their
 * content ([[BodyReader]]), what runs requests ([[RequestRunner]]), the queue of due replies ([[ReplyQueue]]), what
 * writes them ([[ReplyWriter]]), what refuses requests ([[RefusedRequests]]), and what ends replies that no request
 * follows ([[LastReplies]]).
 */
private[session] abstract class SessionTurn(protected final val wire: SessionOutput, runner: RequestRunner)
    extends LentWriter.Turn
    with BodyOwner
    with ServerExchange.Owner {
  protected final val context = runner.context
  private val admission       = runner.admission
  protected final val state   = new SessionState
  protected final val input   = new InputWindow(wire)
  protected final val reader  = new RequestReader(wire, context, state, input)
  protected final val queue   = new ReplyQueue(state, context.heads, admission)
  protected final val writer  = new ReplyWriter(wire, runner, state, queue)

  // They have no state, so idle connections have none of them.
  protected final def refused     = new RefusedRequests(this, runner, input, reader, queue)
  protected final def lastReplies = new LastReplies(this, context, state, queue)

  private var info: ConnectionInfo = null // requested for the first request

  private var inTurn: Boolean   = false
  private var onceMore: Boolean = false

  /** The deadline of the requests that are read in this turn. */
  private var dueNanos: Long = 0

  /** Responds to a request that cannot be served. Nothing after it is read. A turn must follow. */
  final def refuse(error: HttpError, isHead: Boolean = false): Unit = {
    refused.add(error, isHead)
    onceMore = true
  }

  @inline protected final def turn(): Unit = if (!state.isEnded) context.lent.lend(this)

  final def work(): Unit = {
    inTurn = true
    val now = wire.nowNanos
    dueNanos = now + context.handlerNanos
    admission.beginTurn()
    writer.beginTurn()
    onceMore = true
    while (onceMore) {
      onceMore = false
      if (reader.body != null) writer.invite(reader.body)
      read()
      if (reader.body != null && reader.body.isWanted && !reader.body.isLeftInWindow)
        queue.awaitsClient(reader.body)
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
  final def aborted(cause: Throwable): Unit = {
    inTurn = false
    state.on(SessionState.Lost)
    wire.abort()
    if (!Survivable(cause)) throw cause
    context.counts.failures += 1
    reader.abort()
    queue.dropAll()
    context.log.error(s"a connection from ${reader.peer} was closed because of an exception", cause)
  }

  /** The reply to a request, or a piece of it, is available: it is written in this turn, or a turn is requested. */
  final def exchangeChanged(): Unit = if (inTurn) onceMore = true else wire.wake()

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
        else if ((writer.isTurnFull || !admission.mayServe()) && leaveRest()) go = false
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

  /**
   * Leaves the rest of the window to a turn after those of the loop's other connections. Returns false if there is no
   * memory to keep it.
   */
  @noinline private def leaveRest(): Boolean = {
    val kept = wire.heldInput.toLong
    val more = input.available - kept
    (more <= 0 || context.memory.hasRoom(more, kept)) && {
      wire.offerAgain()
      true
    }
  }

  @noinline private def noHead(): Unit = if (refused.addUnserved()) onceMore = true

  private def readContent(): Boolean =
    if (state.isDropping) reader.drop()
    else if (!reader.body.isWanted || input.isEmpty) {
      reader.body.leaveInWindow()
      false
    } else {
      val now  = wire.nowNanos
      val body = reader.body
      body.waitEnds(now)
      // before it is delivered, as its reader may ask for the time left
      queue.extend(body, now, context.handlerNanos)
      val fed = reader.feed()
      if (!body.isWanted) queue.awaitsClientNoMore(body)
      fed
    }

  // events of the content that is read

  final def bodyWanted(body: BodyReader): Unit = {
    reader.contentWanted()
    exchangeChanged()
  }

  final def bodyUnwanted(body: BodyReader): Unit = if (reader.body eq body) {
    queue.putOff(body, body.waitEnds(wire.nowNanos))
    queue.awaitsClientNoMore(body)
    reader.contentUnwanted()
    exchangeChanged() // its handler's time counts
  }

  final def bodyEnded(body: BodyReader): Unit = if (reader.body eq body) {
    reader.contentEnded()
    if (inTurn && !input.isEmpty) onceMore = true // read by the reply: nobody else looks at what is behind it
  }

  final def bodyFailed(body: BodyReader): Unit = {
    queue.putOff(body, body.waitEnds(wire.nowNanos)) // before the handler goes on with the failure
    queue.awaitsClientNoMore(body)
    reader.stop()
    exchangeChanged()
  }

  final def bodyRefused(body: BodyReader): Unit = refused.countForMemory(body)

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
        x.answer(runner.limited(response, own))
        x.begin(limitedBy = null)
      case later: Reply.Later =>
        if (admission.waitsInside) x.beginWaiting(admission.admittedTo)
        // while it waits for content that its client has not sent, it is paused: see `awaitsClient`
        else x.begin(admission.limitedBy)
        x.listen(later.response)
    }
  }

  @noinline private def refuseLarge(head: RequestView): Unit = {
    refused.addLarge(head, info)
    onceMore = true
  }

  // replies

  /** What is streamed looks at the backlog for each piece. */
  private def mayLead(x: ServerExchange): Boolean = x.response.source != null || !writer.isBacklogged || {
    x.waitsForClient()
    false
  }

  private def mayWrite(): Boolean = !writer.isTurnFull || {
    wire.wake()
    false
  }

  @noinline private def reply(): Unit = {
    var go = true
    while (go && queue.isReady && mayLead(queue.first) && mayWrite()) {
      val x = queue.first
      if (x.isBehind) x.leads()
      writer.advance(x)
      go = x.complete
      // a last reply drops the requests behind it, and nobody reads their content any more
      if (x.headSent && !x.keeps && reader.body != null && (reader.body ne x.body)) reader.leave(reader.body)
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
