package needletail.json

import scala.util.control.NoStackTrace

import needletail.http.message.{Answerable, HttpError}

/**
 * A body was refused: it is not JSON, or not the value that a route expects. A handler of failures may use `error`;
 * otherwise the response is a problem (RFC 9457) with status 400 or 422 and the list `errors`.
 */
final class JsonRefused(val error: JsonError) extends RuntimeException(error.toString) with NoStackTrace
    with Answerable {
  def asHttpError: HttpError =
    InputProblem.error(error.status, error.toString, error.all.map(InputProblem.of))
}
