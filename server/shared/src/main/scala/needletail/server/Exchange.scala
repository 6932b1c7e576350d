package needletail.server

import needletail.async.{Listener, Result, Survivable, Value}
import needletail.http.{ByteStream, Request, Response, Status}

/**
 * A request whose reply could not be sent as soon as the handler returned: it comes later, is streamed, or
 * waits for an earlier one. Linked in the order of the requests.
 */
private[server] final class Exchange(
    session: SessionReplies,
    val request: Request,  // null where none could be read
    val body: SessionBody, // null where it has none
    val isHead: Boolean,
    val minor: Int,
    val isSafe: Boolean,
    val keepAlive: Boolean,
    val startedNanos: Long,
    var deadline: Long, // for the handler; the time it waits for the request's body does not count
    begunAs: RouteState
) extends Listener[Response] {

  /** What it is limited and counted as. */
  var route: RouteState = begunAs
  var next: Exchange    = null

  /** The reply; null until it has come. */
  var response: Response = null

  var headSent: Boolean = false
  var keeps: Boolean    = false
  var framing: Int      = 0
  var bytesSent: Long   = 0
  var complete: Boolean = false

  /** Where this reply begins in the loop's writer, as long as nothing of it has left; else -1. */
  var mark: Int = -1

  /** The piece that was waited for, when it has come. */
  var piece: Result[Option[Array[Byte]]] = null
  private var pieces: Pieces             = null

  /** The stream that has been cancelled. */
  private var left: ByteStream = null

  // What the limiter has been told of it, and not yet that it is over.
  private var isCounted: Boolean  = false
  private var isMeasured: Boolean = false
  private var beganOwn: Long      = 0
  var wasRefused: Boolean         = session.admission.hasRefused

  /** Under way from here on; measured where the handler's time says how much there is to do. */
  def begin(isMeasured: Boolean): Unit = {
    isCounted = true
    this.isMeasured = isMeasured
    beganOwn = session.admission.begin(route, isMeasured)
  }

  private def handled(isAnswer: Boolean): Unit = if (isMeasured) {
    isMeasured = false
    session.admission.handled(route, beganOwn, startedNanos, isAnswer)
  }

  /** It is for that route, as is found now that its handler has called routes. */
  def becomes(to: RouteState): Unit = if (to ne route) {
    val from     = route
    val measured = isMeasured
    handled(isAnswer = false)
    route = to
    if (request != null) request.becomes(to.route)
    if (isCounted) session.admission.moved(from, to)
    if (measured && to.limit != null) {
      isMeasured = true
      beganOwn = session.admission.measure(to)
    }
  }

  /** Over: answered with that status, or dropped where it is 0. */
  def end(status: Int): Unit = {
    handled(isAnswer = false)
    if (isCounted) {
      isCounted = false
      session.admission.end(route, status, startedNanos, wasRefused || session.admission.isRefusal(response))
    }
  }

  /** Is it the handler that everybody waits for? */
  def isHandlers: Boolean = isListening && (body == null || !body.isWanted)

  /** The handler's result. */
  def completed(result: Result[Response]): Unit = {
    handled(isAnswer = true)
    try
      response =
        if (!result.isValue) session.failed(request, result.error)
        else if (result.value == null)
          session.failed(request, new NullPointerException("a handler answered null"))
        else result.value
    finally {
      // whatever an exception of a user's does when it is asked what it is: the client is owed an answer
      if (response == null) response = Exchange.internal
      session.again()
    }
  }

  /** The handler is too late: `instead` is the reply. */
  def expire(instead: Response): Unit = {
    handled(isAnswer = true)
    withdraw()
    response = session.dressed(request, instead)
  }

  def isAwaiting: Boolean = pieces != null && pieces.isListening

  def await(stream: ByteStream): Unit = {
    val next = stream.next()
    piece = next.resultOrNull
    if (piece == null) {
      if (pieces == null) pieces = new Pieces
      pieces.listen(next)
    }
  }

  private final class Pieces extends Listener[Option[Array[Byte]]] {
    def completed(result: Result[Option[Array[Byte]]]): Unit = {
      piece = result
      session.again()
    }
  }

  /** Is it a stream of events, which may end after any of them, as its client asks again (HTML standard)? */
  def isEventStream: Boolean =
    response.headers.get("Content-Type").exists(_.toLowerCase.startsWith("text/event-stream"))

  /** Its stream, which waits, is at its end. */
  def endStream(): Unit = {
    if (pieces != null) pieces.withdraw()
    leaveStream()
    piece = Exchange.endOfStream
  }

  /** The response's stream is not asked any more. It is told so once, and what it throws then concerns nobody else. */
  def leaveStream(): Unit = if (response != null && response.source != null && (response.source ne left)) {
    left = response.source
    try left.cancel()
    catch { case Survivable(e) => session.streamNotLeft(e) }
  }

  /** Lets go of whatever is under way. */
  def letGo(): Unit = {
    if (headSent && !complete) session.cutOff(this)
    complete = true
    end(0)
    withdraw()
    if (pieces != null) pieces.withdraw()
    leaveStream()
    if (body != null) body.release()
    if (request != null) request.release()
  }
}

private object Exchange {
  private val internal = Response(Status.InternalServerError).text("internal server error")

  val endOfStream: Result[Option[Array[Byte]]] = new Value(None)
}
