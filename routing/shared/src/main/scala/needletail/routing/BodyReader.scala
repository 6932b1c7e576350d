package needletail.routing

import needletail.async.Async
import needletail.http.{ByteStream, Request}
import needletail.http.message.{MediaType, Parameters}

/** Reads a body as an `A`. */
@annotation.implicitNotFound(
  "there is no BodyReader[${A}], which converts a body to ${A}; instances exist for String, Array[Byte], Parameters, ByteStream, every type with a JsonFormat of needletail.json and, with `import needletail.jsoniter._`, those with a JsonValueCodec"
)
abstract class BodyReader[A] {

  /** The type's name in error messages and documentation. */
  def name: String

  /**
   * Whether it reads bodies of this media type, which is in lower case and without parameters. Others are refused with
   * 415. A body without a Content-Type is always tried.
   */
  def accepts(mediaType: String): Boolean

  /** Reads the body. If it fails with an `HttpError`, that is the response. */
  def read(request: Request): Async[A]

  /** A reader of another type, converted by `f`. */
  final def map[B](f: A => B): BodyReader[B] = BodyReader.of(name, accepts)(read(_).map(f))
}

object BodyReader {

  /**
   * A reader of `A`.
   *
   * @param name the type's name in error messages and documentation
   * @param accepts whether it reads bodies of a media type; by default it reads all
   * @param read reads the body; if it fails with an `HttpError`, that is the response
   */
  def of[A](
      name: String,
      accepts: String => Boolean = _ => true
  )(read: Request => Async[A]): BodyReader[A] = {
    val called   = name
    val suitable = accepts
    val reading  = read
    new BodyReader[A] {
      def name: String                        = called
      def accepts(mediaType: String): Boolean = suitable(mediaType)
      def read(request: Request): Async[A]    = reading(request)
    }
  }

  /** Text in the charset of Content-Type, else UTF-8; of any media type. */
  implicit val text: BodyReader[String] = of("text")(_.text)

  /** The bytes of the body; of any media type. */
  implicit val bytes: BodyReader[Array[Byte]] = of("bytes")(_.body.bytes)

  /** The body as it arrives; nothing is read before the handler asks. */
  implicit val stream: BodyReader[ByteStream] = of("stream")(request => Async.value(request.body.stream))

  /** The parameters of an HTML form, sent as application/x-www-form-urlencoded. */
  implicit val form: BodyReader[Parameters] = of("form", _ == MediaType.Form)(_.form)
}
