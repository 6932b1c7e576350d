package needletail.server

import scala.util.{Failure, Success, Try}

import needletail.async.Async
import needletail.http.{ByteStream, Request, Response}

/**
 * A request whose reply could not be sent as soon as the handler returned: it comes later, is streamed, or
 * waits for an earlier one. Linked in the order of the requests.
 */
private[server] final class Exchange(
    session: ServerSession,
    val request: Request, // null where none could be read
    val body: SessionBody, // null where it has none
    val isHead: Boolean,
    val minor: Int,
    val isSafe: Boolean,
    val keepAlive: Boolean,
    val startedNanos: Long,
    var deadline: Long // for the handler; the time it waits for the request's body does not count
) extends (Try[Response] => Unit) {
  var next: Exchange = null

  /** What the handler waits for; null once it has come. */
  var pending: Async[Response] = null

  /** The reply; null until it has come. */
  var response: Response = null

  /** Is it the handler that everybody waits for? */
  def isHandlers: Boolean = pending != null && (body == null || !body.isWanted)

  var headSent: Boolean  = false
  var keeps: Boolean     = false
  var framing: Int       = 0
  var bytesSent: Long    = 0
  var complete: Boolean  = false
  var wasFailure: Boolean = false

  /** Where this reply begins in the loop's writer, as long as nothing of it has left; else -1. */
  var mark: Int = -1

  /** The piece that was waited for, when it has come. */
  var piece: Try[Option[Array[Byte]]]                 = null
  var awaited: Async[Option[Array[Byte]]]             = null
  private val onPiece: Try[Option[Array[Byte]]] => Unit = result => {
    awaited = null
    piece = result
    session.again()
  }

  /** The handler's result. Too late (timed out, gone) it is dropped, and a stream in it let go. */
  def apply(result: Try[Response]): Unit = {
    pending = null
    if (response != null || complete) {
      result match {
        case Success(late) if late != null && late.source != null => late.source.cancel()
        case _                                                    => ()
      }
    } else {
      response = result match {
        case Success(r) if r != null => r
        case Success(_)              => session.failed(new NullPointerException("a handler answered null"))
        case Failure(e)              => session.failed(e)
      }
      session.again()
    }
  }

  def await(stream: ByteStream): Unit = {
    val next = stream.next()
    if (next.isCompleted) piece = next.poll.get
    else {
      awaited = next
      next.onComplete(onPiece)
    }
  }

  /** Lets go of whatever is under way. */
  def cancel(): Unit = {
    complete = true
    val waitingFor = pending
    pending = null
    if (waitingFor != null) waitingFor.cancel()
    val piece = awaited
    awaited = null
    if (piece != null) piece.cancel()
    if (response != null && response.source != null) response.source.cancel()
    if (request != null) request.release()
  }
}
