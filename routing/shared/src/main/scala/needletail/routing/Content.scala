package needletail.routing

import needletail.http.Response
import needletail.http.message.{MediaType, Status}
import needletail.stream.Stream

/** Converts a value to the content of a response: enables `.ok` and similar methods on it. */
@annotation.implicitNotFound(
  "a ${A} cannot be the content of a response; possible are String, Array[Byte], ByteStream or Stream[Array[Byte]], Response, any type with a JsonFormat of needletail.json (a List of such values by .toJson.ok) or, with `import needletail.jsoniter._`, a JsonValueCodec, and any type with an implicit Content[${A}]. Map an Async or Future first: .map(_.ok). Several values of a route are one tuple: to { case (a, b) => ... }"
)
trait Content[-A] {

  /** A response with that status and content. */
  def apply(status: Status, content: A): Response
}

object Content {

  /** text/plain in UTF-8. */
  implicit val text: Content[String] = (status, content) => Response(status).text(content)

  /** application/octet-stream unless another type is set on the response. The array must not change afterwards. */
  implicit val bytes: Content[Array[Byte]] =
    (status, content) => Response(status).contentType(MediaType.Bytes).bytes(content)

  /** A stream of unknown length, application/octet-stream. */
  implicit val stream: Content[Stream[Array[Byte]]] =
    (status, content) => Response(status).contentType(MediaType.Bytes).stream(content)

  /** The same response with that status. */
  implicit val response: Content[Response] = (status, content) => content.withStatus(status)
}

/** `.ok`, `.created`, `.notFound` …: values as responses. */
private[routing] trait Responding {
  implicit class ContentAsResponse[A](private val content: A) {
    def ok(implicit c: Content[A]): Response                  = c(Status.Ok, content)
    def created(implicit c: Content[A]): Response             = c(Status.Created, content)
    def accepted(implicit c: Content[A]): Response            = c(Status.Accepted, content)
    def badRequest(implicit c: Content[A]): Response          = c(Status.BadRequest, content)
    def unauthorized(implicit c: Content[A]): Response        = c(Status.Unauthorized, content)
    def forbidden(implicit c: Content[A]): Response           = c(Status.Forbidden, content)
    def notFound(implicit c: Content[A]): Response            = c(Status.NotFound, content)
    def conflict(implicit c: Content[A]): Response            = c(Status.Conflict, content)
    def gone(implicit c: Content[A]): Response                = c(Status.Gone, content)
    def unprocessable(implicit c: Content[A]): Response       = c(Status.UnprocessableContent, content)
    def tooManyRequests(implicit c: Content[A]): Response     = c(Status.TooManyRequests, content)
    def internalServerError(implicit c: Content[A]): Response = c(Status.InternalServerError, content)
    def serviceUnavailable(implicit c: Content[A]): Response  = c(Status.ServiceUnavailable, content)

    def withStatus(status: Status)(implicit c: Content[A]): Response = c(status, content)
    def withStatus(code: Int)(implicit c: Content[A]): Response      = c(Status(code), content)
  }
}
