package needletail

import needletail.http.Response
import needletail.http.message.MediaType
import needletail.routing.{Body, Part}

/**
 * JSON (RFC 8259), on both platforms: values, a strict parser with limits, and bodies for the routing DSL.
 * {{{
 * import needletail.json._
 * import needletail.routing._
 *
 * case class Item(id: Long, name: String)
 * object Item {
 *   implicit val json: JsonFormat[Item] = JsonFormat.of(
 *     (JsonReader.field[Long]("id") + JsonReader.field[String]("name")).map { case (id, name) => Item(id, name) },
 *     item => Json.obj("id" -> item.id, "name" -> item.name)
 *   )
 * }
 *
 * POST / "items" + Body[Item] to (item => add(item).map(_.created))
 * }}}
 */
package object json {

  implicit class ToJson[A](private val value: A) {

    /** This value as JSON. */
    def toJson(implicit writer: JsonWriter[A]): Json = writer.write(value)
  }

  implicit class JsonResponse(private val response: Response) {

    /** The same response with `value` as its content: `Response(Status.Conflict).json(problem)`. */
    def json[A](value: A)(implicit writer: JsonWriter[A]): Response =
      response.contentType(MediaType.Json).bytes(writer.write(value).toBytes)
  }

  /** The body as an `A`, for types without a [[json.JsonFormat]] of their own: `jsonBody[List[Item]]`. */
  def jsonBody[A](implicit reader: JsonReader[A]): Part[A] = Body[A](JsonFormat.bodyReader(reader))
}
