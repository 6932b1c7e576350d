package needletail.server.exchange

import needletail.async.{Async, Result, ResultListener, Survivable, Value}
import needletail.http.{ByteStream, Refusal, Request, RequestView, Response}
import needletail.http.message.{Method, Status}
import needletail.http.text.Ascii
import needletail.io.{FileOutput, FilePart}
import needletail.server.overload.{HeldRequest, LateRequest, Outcome, RouteState}

/**
 * A request whose reply could not be sent as soon as its handler returned: the reply comes later, is streamed, or
 * waits for an earlier one. It is an element of the [[ReplyQueue]] of its connection.
 *
 * @param owner notified when the reply, or a piece of its content, is available
 * @param request null if none could be read
 * @param body null if it has no content
 * @param isHead whether it is a HEAD request, whose reply has no content
 * @param minor the minor version of HTTP/1 in the request
 * @param keepAlive whether the request allows another one to follow
 * @param startedNanos when its handler was called
 * @param deadline when its handler has timed out; begins anew when a part of the request's content arrives, and is put
 *   off by the time in which content was waited for in vain
 * @param begunAs the route it is limited and counted as at first
 */
private[server] final class ServerExchange(
    owner: ServerExchange.Owner,
    runner: RequestRunner,
    val request: Request,
    val body: BodyReader,
    val isHead: Boolean,
    val minor: Int,
    val isSafe: Boolean,
    val keepAlive: Boolean,
    val startedNanos: Long,
    var deadline: Long,
    begunAs: RouteState
) extends ResultListener[Response]
    with LateRequest {

  var route: RouteState = begunAs

  /** The next one in the queue. */
  var next: ServerExchange = null

  /** The reply; null until it is available. */
  var response: Response = null

  /** Whether an earlier reply comes first. Then the client waits for that one, and what this one holds counts. */
  var isBehind: Boolean = false

  // how far the reply has been written

  var headSent: Boolean = false
  var keeps: Boolean    = false // whether another request may follow this reply
  var framing: Int      = 0     // one of `ResponseEncoder`'s
  var bytesSent: Long   = 0     // of its content
  var complete: Boolean = false

  /** Whether the reply's stream failed before anything was passed on, and another reply took its place. */
  var isReplaced: Boolean = false

  /** Where this reply begins in the loop's writer, until some of it has been passed on; then -1. */
  var mark: Int = -1

  /** The next piece of the reply's stream, if it is available. */
  var piece: Result[Option[Array[Byte]]] = null
  private var pieces: Pieces             = null

  /** The part of a file that is sent, and what comes after it, if that is available. */
  var part: FilePart             = null
  var nextPart: Result[FilePart] = null
  private var parts: Parts       = null
  private var counted            = 0L // the position in `part` up to which `bytesSent` counts it

  // counted in the loop's memory
  private var headBytes: Int       = 0
  private var waiting: Array[Byte] = null // of the reply, while an earlier one comes first

  /** Whether a refusal has taken the place of the reply for want of memory. */
  var isCutShort: Boolean = false

  /** The stream that has been cancelled. */
  private var left: ByteStream = null

  // what was reported to the admission control as begun and not yet as ended
  private var isCounted: Boolean    = false
  private var limitedBy: RouteState = null  // whose limit counts it
  private var held: HeldRequest     = null  // if it has to wait to be admitted: then that is counted
  private var pausedBy: RouteState  = null  // whose limit counts it when what it waits for is over
  private var isInBulkhead: Boolean = false
  private var isAtClient: Boolean   = false // its handler waits for content that its client has not sent
  private var beganOwn: Long        = 0
  private var beganNanos: Long      = startedNanos
  var wasRefused: Boolean           = runner.admission.hasRefused

  /** It is in flight from now on. The limit of `limitedBy` counts it; null if its duration does not reflect the load. */
  def begin(limitedBy: RouteState): Unit = {
    isCounted = true
    this.limitedBy = limitedBy
    held = runner.admission.held
    beganOwn = runner.admission.begin(route, limitedBy)
  }

  /** The same for a request that waits in a bulkhead. */
  def beginWaiting(pausedBy: RouteState): Unit = {
    begin(limitedBy = null)
    this.pausedBy = pausedBy
    isInBulkhead = true
  }

  private def handled(outcome: Int): Unit = {
    if (pausedBy != null) pausedBy = null
    if (limitedBy != null) {
      val state = limitedBy
      limitedBy = null
      runner.admission.handled(state, beganOwn, beganNanos, outcome)
    } else if (held != null) held.end(outcome)
  }

  def leavesLimit(): Unit = handled(Outcome.Dropped)

  def entersLimit(of: RouteState): Unit =
    if (isCounted && response == null && isInNone) {
      held = null
      pausedBy = of
      forgetRefusal()
      resume()
    }

  private def forgetRefusal(): Unit = {
    wasRefused = false
    if (request != null && request.wasRefused) request.shared.wasRefused = false
  }

  /** Whether nothing that it was admitted to goes on, as far as a limit would count it. */
  private def isInNone: Boolean = limitedBy == null && pausedBy == null && (held == null || held.isOver)

  def isRefused: Boolean = isInNone && (wasRefused || (request != null && request.wasRefused))

  def leaves(of: RouteState): Unit =
    if ((limitedBy eq of) || (pausedBy eq of) || (held != null && (held.state eq of))) leavesLimit()

  def isHeldBy(held: HeldRequest): Unit = {
    this.held = held
    forgetRefusal()
  }

  def waits(): Unit = {
    isInBulkhead = true
    pause()
  }

  def goesOn(): Unit = {
    isInBulkhead = false
    resume()
  }

  /** Its handler waits for content that its client has not sent: that is no time of its route. */
  def awaitsClient(): Unit = if (!isAtClient) {
    isAtClient = true
    pause()
  }

  /** Its handler does not wait for that any more. */
  def awaitsClientNoMore(): Unit = if (isAtClient) {
    isAtClient = false
    resume()
  }

  private def pause(): Unit =
    if (limitedBy != null) {
      val by = limitedBy
      handled(Outcome.Dropped)
      pausedBy = by
    } else if (held != null) held.pause()

  private def resume(): Unit = if (!isInBulkhead && !isAtClient)
    if (pausedBy != null) {
      limitedBy = pausedBy
      pausedBy = null
      beganOwn = runner.admission.measureAnew(limitedBy)
      beganNanos = runner.admission.now
    } else if (held != null) held.goOn()

  def becomes(to: RouteState, isWithin: Boolean): Unit = if (to ne route) {
    val from = route
    route = to
    if (request != null) {
      request.becomes(to.route)
      if (request.ownLimit > 0) {
        deadline = request.dueNanos
        owner.exchangeChanged()
      }
    }
    if (isCounted) runner.admission.moved(from, to)
    if (limitedBy != null && !isWithin) {
      handled(Outcome.Dropped)
      limitedBy = to
      beganOwn = runner.admission.measure(to)
    } else if (pausedBy != null && !isWithin) pausedBy = to
  }

  /** Its head, of so many bytes, counts in the loop's memory until it is over. */
  def holdHead(bytes: Int): Unit = {
    headBytes = bytes
    runner.context.heads.take(bytes)
  }

  /** The reply is available. */
  def answer(reply: Response): Unit = {
    response = reply
    if (isBehind) holdReply()
  }

  private def holdReply(): Unit = {
    val bytes = if (response.source == null) response.content else response.source.inMemory
    if (bytes != null && bytes.length > 0)
      // what an unsafe request has done cannot be taken back: its client gets the reply, whatever memory there is
      if (!isSafe || runner.context.memory.mayLend(bytes)) {
        waiting = bytes
        runner.context.memory.lend(bytes)
      } else refuseForMemory()
  }

  /** The client has to read first what was written before it: it is held until then. */
  def waitsForClient(): Unit = if (waiting == null && !isCutShort) {
    isBehind = true
    holdReply()
  }

  private def giveBack(): Unit = if (waiting != null) {
    runner.context.memory.giveBack(waiting)
    waiting = null
  }

  /** Bytes of the reply that are held while it waits for an earlier one, and that a refusal may take the place of. */
  def waitingBytes: Long = if (waiting == null || !isSafe) 0 else waiting.length.toLong

  /**
   * A refusal takes the place of the reply, which waits for an earlier one, or for its client to read. Only for safe
   * requests, which the client can send again.
   */
  def refuseForMemory(): Unit = {
    leaveStream()
    left = null // nor is it kept until this one's turn
    giveBack()
    wasRefused = true
    isCutShort = true
    route.refused(Refusal.Memory) += 1
    response = runner.context.memoryShort
  }

  /** The reply comes next: from now on it is as any other in progress, and nothing takes its place. */
  def leads(): Unit = {
    isBehind = false
    giveBack()
    // only now, as wrappers may add to it
    if (isCutShort) response = runner.dressed(request, response)
  }

  /** It is over: answered with that status, or dropped if that is 0. */
  def end(status: Int): Unit = {
    giveBack()
    if (headBytes != 0) {
      runner.context.heads.give(headBytes)
      headBytes = 0
    }
    handled(Outcome.Dropped)
    if (isCounted) {
      isCounted = false
      // a refusal that was dressed is another object
      val isRefusal =
        wasRefused || (request != null && request.wasRefused) || runner.admission.isRefusal(response)
      runner.admission.end(route, status, startedNanos, isRefusal)
    }
  }

  /** Whether the handler is waited for, not the client: its reply, or what the head of the reply waits for. */
  def isHandlers: Boolean = (isListening || isHeld) && (body == null || !body.isWanted)

  /** Whether nothing of the reply is sent before the first piece of its stream, which is waited for. */
  def isHeld: Boolean = !headSent && isAwaiting

  /** The handler's result. */
  def completed(result: Result[Response]): Unit = {
    try {
      if (limitedBy != null) handled(outcomeOf(result)) else if (pausedBy != null) pausedBy = null
      answer(
        if (!result.isValue) runner.failed(request, result.error)
        else if (result.value == null)
          runner.failed(request, new NullPointerException("a handler returned null"))
        else result.value
      )
    } finally {
      // the client gets a response even if an exception's methods throw
      if (response == null) response = ServerExchange.internal
      owner.exchangeChanged()
    }
  }

  private def outcomeOf(result: Result[Response]): Int =
    if (wasRefused) Outcome.Dropped // which is no quick answer of its route
    else {
      val isFailure =
        if (result.isValue) Outcome.isFailure(result.value) else Outcome.isFailure(result.error)
      if (isFailure) Outcome.Failed else Outcome.Answered
    }

  /** The handler has timed out: `instead` becomes the reply. */
  def expire(instead: Response): Unit = {
    handled(Outcome.Answered)
    withdraw()
    leaveAll()
    answer(runner.dressed(request, instead))
  }

  /** Whether a piece of the reply's stream is waited for. */
  def isAwaiting: Boolean = pieces != null && pieces.isListening || parts != null && parts.isListening

  /** The reply's stream was asked for that piece: it is in `piece` at once, or later when `owner` is told. */
  def await(next: Async[Option[Array[Byte]]]): Unit = {
    piece = next.resultOrNull
    if (piece == null) {
      if (pieces == null) pieces = new Pieces
      pieces.listen(next)
    }
  }

  private final class Pieces extends ResultListener[Option[Array[Byte]]] {
    def completed(result: Result[Option[Array[Byte]]]): Unit = {
      piece = result
      owner.exchangeChanged()
    }
  }

  /** Goes on with that part. */
  def begin(next: FilePart): Unit = {
    part = next
    counted = next.position
  }

  /** Counts what has been sent of the part, by whomever: a connection also offers it again when its peer is slow. */
  def countPart(): Unit = if (part != null) {
    bytesSent += part.position - counted
    counted = part.position
  }

  /** The same for the next part of a file. */
  def awaitPart(of: FileOutput): Unit = {
    val next = of.nextPart()
    nextPart = next.resultOrNull
    if (nextPart == null) {
      if (parts == null) parts = new Parts
      parts.listen(next)
    }
  }

  private final class Parts extends ResultListener[FilePart] {
    def completed(result: Result[FilePart]): Unit = {
      nextPart = result
      owner.exchangeChanged()
    }
  }

  /** Whether the reply consists of the content of its own request. */
  def isEcho: Boolean = body != null && (response.source eq body.pieces)

  /** Whether the reply is an event stream, which may end after any event, as its client reconnects (HTML standard). */
  def isEventStream: Boolean =
    response.headers.get("Content-Type").exists(Ascii.lower(_).startsWith("text/event-stream"))

  /** Ends the reply's stream, which waits, as if it were complete. */
  def endStream(): Unit = {
    stopStream()
    piece = ServerExchange.endOfStream
  }

  /** Cancels the reply's stream, of which no more is wanted. */
  def stopStream(): Unit = {
    if (pieces != null) pieces.withdraw()
    leaveStream()
  }

  /** Cancels the reply's stream, once. Its exceptions are logged. */
  def leaveStream(): Unit = if (response != null && response.source != null && (response.source ne left)) {
    left = response.source
    try left.cancel()
    catch { case Survivable(e) => runner.cancelFailed(request, e) }
  }

  private def leaveAll(): Unit = {
    if (pieces != null) pieces.withdraw()
    if (parts != null) parts.withdraw()
    leaveStream()
  }

  /** Drops the request, and cancels whatever is in progress for it. */
  def letGo(): Unit = {
    countPart()
    if (headSent && !complete) runner.cutOff(request, response, bytesSent, startedNanos)
    complete = true
    end(0)
    withdraw()
    leaveAll()
    if (body != null) body.release()
    if (request != null) request.release()
  }
}

private[server] object ServerExchange {

  /** The connection that an exchange belongs to. */
  trait Owner {

    /** The reply or a piece of its content is available. Called on the connection's loop. */
    def exchangeChanged(): Unit
  }

  /**
   * For a request with that head, whose handler's reply comes later or is streamed. The head may be reused afterwards.
   */
  def apply(
      owner: Owner,
      runner: RequestRunner,
      head: RequestView,
      request: Request,
      body: BodyReader,
      startedNanos: Long,
      deadline: Long
  ): ServerExchange =
    new ServerExchange(
      owner,
      runner,
      request,
      body,
      head.method eq Method.HEAD,
      head.minor,
      head.method.isSafe,
      head.keepAlive,
      startedNanos,
      deadline,
      runner.admission.route
    )

  /** For the connection's last reply, to a request that cannot be served. */
  def refusal(
      owner: Owner,
      runner: RequestRunner,
      request: Request,
      response: Response,
      isHead: Boolean
  ): ServerExchange = {
    runner.runNothing()
    val admission = runner.admission
    val x         = new ServerExchange(
      owner,
      runner,
      request,
      null,
      isHead,
      1,
      isSafe = true,
      keepAlive = false,
      admission.now,
      Long.MaxValue,
      admission.route
    )
    x.response = response
    x.begin(limitedBy = null)
    x
  }

  val internal: Response = Response(Status.InternalServerError).text("internal server error")

  val endOfStream: Result[Option[Array[Byte]]] = new Value(None)
}
