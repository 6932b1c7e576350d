package needletail

import com.github.plokhotnyuk.jsoniter_scala.core._

import needletail.async.Async
import needletail.http.{HttpError, MediaType, Request, Response, Status}
import needletail.routing.{Body, BodyReader, Content, Part, Quote}

/**
 * JSON bodies for the routing DSL, for every type with a jsoniter-scala codec in scope:
 * {{{
 * import needletail.json._
 * import needletail.routing._
 *
 * implicit val orders: JsonValueCodec[Order] = JsonCodecMaker.make
 *
 * POST / "orders" + Body[Order] to (order => add(order).map(_.created))
 * }}}
 */
package object json {

  /** Settings of the parser: error messages without a dump of the input. */
  private val reading = ReaderConfig.withAppendHexDumpToParseException(false)

  /**
   * `Body[A]` from JSON; what cannot be read is refused with 400, another media type than application/json or
   * one that ends in +json with 415.
   */
  implicit def jsonBody[A](implicit codec: JsonValueCodec[A]): BodyReader[A] =
    BodyReader.of[A]("JSON", mediaType => mediaType == MediaType.Json || mediaType.endsWith("+json"))(parse(_))

  /** `.ok` and the like, as application/json. */
  implicit def jsonContent[A](implicit codec: JsonValueCodec[A]): Content[A] = (status, content) => respond(status, content)

  implicit class AsJson[A](private val content: A) {

    /** A response 200 with this as JSON. */
    def json(implicit codec: JsonValueCodec[A]): Response = respond(Status.Ok, content)
  }

  implicit class JsonResponse(private val response: Response) {

    /** The same response with `content` as JSON: `Response(Status.Conflict).json(problem)`. */
    def json[A](content: A)(implicit codec: JsonValueCodec[A]): Response =
      response.contentType(MediaType.Json).bytes(writeToArray(content))
  }

  private def respond[A](status: Status, content: A)(implicit codec: JsonValueCodec[A]): Response =
    Response(status).json(content)

  private def parse[A](request: Request)(implicit codec: JsonValueCodec[A]): Async[A] =
    request.body.bytes.flatMap { bytes =>
      try Async.value(readFromArray[A](bytes, reading))
      catch {
        case e: JsonReaderException => Async.fail(HttpError(Status.BadRequest, s"malformed JSON: ${Quote(e.getMessage, 200)}"))
      }
    }
}

package json {

  /** `Json[Order]`: the body as JSON, where the word says more than `Body[Order]`. */
  object Json {
    def apply[A](implicit codec: JsonValueCodec[A]): Part[A] = Body[A](jsonBody[A])
  }
}
