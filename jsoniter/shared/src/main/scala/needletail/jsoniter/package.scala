package needletail

import com.github.plokhotnyuk.jsoniter_scala.core._

import needletail.async.Async
import needletail.http.{Request, Response}
import needletail.http.message.{HttpError, MediaType, Status}
import needletail.json.{FieldPath, InputProblem, Json}
import needletail.routing.{BodyReader, Content}
import needletail.routing.internal.matching.Quote

/**
 * JSON bodies for the routing DSL, for every type with a jsoniter-scala codec in scope:
 * {{{
 * import needletail.jsoniter._
 * import needletail.routing._
 *
 * implicit val orders: JsonValueCodec[Order] = JsonCodecMaker.make
 *
 * POST / "orders" + Body[Order] to (order => add(order).map(_.created))
 * }}}
 */
package object jsoniter {

  /** Settings of the parser: error messages without a dump of the input. */
  private val reading = ReaderConfig.withAppendHexDumpToParseException(false)

  /**
   * `Body[A]` from JSON. A body that is not JSON is refused with 400, one that is no `A` with 422, both with a problem
   * (RFC 9457) whose list `errors` names the field; a media type other than application/json, or one that ends in
   * +json, with 415.
   */
  implicit def jsonBody[A](implicit codec: JsonValueCodec[A]): BodyReader[A] =
    BodyReader.of[A](
      "JSON",
      mediaType => mediaType == MediaType.Json || mediaType.endsWith("+json"),
      List(MediaType.Json)
    )(parse(_))

  /** `.ok` and similar methods, as application/json. */
  implicit def jsonContent[A](implicit codec: JsonValueCodec[A]): Content[A] =
    (status, content) => respond(status, content)

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
    if (request.codingRefusal != null) Async.fail(request.codingRefusal)
    else
      request.body.bytes.flatMap { bytes =>
        try Async.value(readFromArray[A](bytes, reading))
        catch {
          case e: JsonReaderException => Async.fail(malformed(bytes, e.getMessage))
        }
      }

  /** `message` ends in the offset of the error, in hexadecimal. */
  private def malformed(bytes: Array[Byte], message: String): HttpError = {
    val missing = message.startsWith(MissingField)
    val path    = message.split(", offset: 0x", 2) match {
      case Array(_, hex) =>
        val offset = hex.takeWhile(c => Character.digit(c, 16) >= 0)
        if (offset.isEmpty || offset.length > 8) ""
        else
          FieldPath.at(
            bytes,
            java.lang.Long.parseLong(offset, 16).min(bytes.length.toLong).toInt,
            enclosing = missing
          )
      case _ => ""
    }
    val about = Quote(message, 200)
    val where = if (path.isEmpty) "" else s"field '${Quote(path)}': "
    // the parser does not tell what is not JSON from what is no `A`
    if (Json.parse(bytes).isLeft)
      InputProblem.error(
        Status.BadRequest,
        s"malformed JSON: $where$about",
        List(InputProblem.entry(Quote(path), about))
      )
    else {
      val name  = if (missing) message.substring(MissingField.length).takeWhile(_ != '"') else ""
      val entry =
        if (missing) InputProblem.entry(if (path.isEmpty) name else s"${Quote(path)}.$name", "is missing")
        else InputProblem.entry(Quote(path), about)
      InputProblem.error(Status.UnprocessableContent, where + about, List(entry))
    }
  }

  /** How the parser's message about a field begins that is not there; the name follows. */
  private final val MissingField = "missing required field \""
}
