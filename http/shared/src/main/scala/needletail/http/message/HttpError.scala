package needletail.http.message

import scala.util.control.NoStackTrace

/**
 * What is wrong with a request, and the status of the response. Parsers return it as a value. A handler may throw it or
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

/** An exception of a handler that the server turns into a given response, instead of a 500 and an entry in the log. */
trait Answerable extends Throwable {

  /** The status and message of the response. */
  def asHttpError: HttpError
}
