package needletail.http.message

import scala.util.control.NoStackTrace

import needletail.async.UpstreamFailure

/**
 * An error in a request, with the status of the response. Parsers return it as a value. A handler may throw it or
 * fail its `Async` with it; the server then responds with this status and message (`Response.of`).
 *
 * @param message sent to the client: it should name the part and the value at fault, and nothing internal
 * @param headers of the response
 */
final case class HttpError(status: Status, message: String, headers: Headers = Headers.empty)
    extends RuntimeException(message)
    with NoStackTrace
    with Answerable {
  def asHttpError: HttpError = this
}

object HttpError {
  private val tooSlow   = HttpError(Status.GatewayTimeout, "a service behind this one took too long")
  private val notCalled = HttpError(Status.ServiceUnavailable, "a service behind this one is not available")
  private val broken    = HttpError(Status.BadGateway, "a service behind this one failed")

  /** The text sent to clients about the failure of another server. */
  private[needletail] def ofUpstream(reason: UpstreamFailure.Reason): HttpError = reason match {
    case UpstreamFailure.TooSlow   => tooSlow
    case UpstreamFailure.NotCalled => notCalled
    case UpstreamFailure.Broken    => broken
  }
}

/** An exception of a handler that the server turns into a given response, instead of a 500 and an entry in the log. */
trait Answerable extends Throwable {

  /** The status and message of the response. */
  def asHttpError: HttpError
}
