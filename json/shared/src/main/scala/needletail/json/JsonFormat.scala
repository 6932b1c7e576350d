package needletail.json

import needletail.async.Async
import needletail.http.{Request, Response}
import needletail.http.message.Status
import needletail.routing.{BodyReader, Content}

/**
 * Reads and writes an `A` as JSON, as a body and as a response: with one in the companion object of `Item`, routes have
 * `Body[Item]` and `item.ok`.
 *
 * A body that is not JSON is refused with 400, one that is no `A` with 422, both with a problem (RFC 9457) whose list
 * `errors` names each field: see [[JsonRefused]]. A media type other than application/json, or one that ends in +json,
 * is refused with 415.
 */
final class JsonFormat[A] private (
    reader: JsonReader[A],
    writer: JsonWriter[A],
    limits: JsonLimits
) extends BodyReader[A]
    with JsonReader[A]
    with JsonWriter[A]
    with Content[A] {
  private val body = JsonFormat.bodyReader(reader, limits)

  /** `JSON`, in the documentation of routes. */
  def name: String = body.name

  /** Whether bodies of that media type, in lower case and without parameters, are read: application/json and +json. */
  def accepts(mediaType: String): Boolean = body.accepts(mediaType)

  /** For Accept: application/json. */
  override def mediaTypes: List[String] = body.mediaTypes

  /** The body as an `A`; fails with [[JsonRefused]]. */
  def read(request: Request): Async[A] = body.read(request)

  /** The value at the cursor, which may be missing, as an `A`. */
  def read(at: JsonCursor): Either[JsonError, A] = reader.read(at)

  /** The value as JSON. */
  def write(value: A): Json = writer.write(value)

  /** A response with that status and the value as application/json. */
  def apply(status: Status, content: A): Response = JsonBody.respond(status, writer.write(content).toBytes)

  /** The same with other limits for bodies. */
  def withLimits(limits: JsonLimits): JsonFormat[A] = new JsonFormat(reader, writer, limits)
}

object JsonFormat {

  /** By a function that reads the fields, and one that writes them. */
  def apply[A](read: JsonCursor => Either[JsonError, A])(write: A => Json): JsonFormat[A] =
    of(JsonReader(read), (value: A) => write(value))

  /** Of a reader and a writer. */
  def of[A](reader: JsonReader[A], writer: JsonWriter[A]): JsonFormat[A] =
    new JsonFormat(reader, writer, JsonLimits.default)

  /** A reader of bodies by a reader of values, for types that are read only. */
  def bodyReader[A](reader: JsonReader[A], limits: JsonLimits = JsonLimits.default): BodyReader[A] =
    JsonBody.reader(Json.parse(_, limits).flatMap(json => reader.read(json.cursor)))
}
