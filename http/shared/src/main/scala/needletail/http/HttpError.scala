package needletail.http

import scala.util.control.NoStackTrace

/**
 * What is wrong with a request and the status to answer it with. A value where parsers return it; user code
 * may throw it or fail an `Async` with it, and the server answers with its status and message.
 *
 * @param message goes to the client: it names the part and the value at fault, nothing of the inside
 */
final case class HttpError(status: Status, message: String)
    extends RuntimeException(message)
    with NoStackTrace
    with Answerable {
  def response: Response     = Response(status).text(if (message == null) status.reason else message)
  def asHttpError: HttpError = this
}

/** A failure that says how the server is to answer where the handler does not, instead of 500 and a line in the log. */
trait Answerable extends Throwable {
  def asHttpError: HttpError
}
