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

  /** The media types that a 415 names in Accept (RFC 9110 §15.5.16); none by default. */
  def mediaTypes: List[String] = Nil

  /**
   * Whether it reads bodies with a Content-Encoding, such as gzip, which it finds in the request; by default it does not,
   * and they are refused with 415.
   */
  def readsCoded: Boolean = false

  /** Whether it accepts all media types; false if that is not known. */
  private[routing] def acceptsAll: Boolean = false

  /** Reads the body. If it fails with an `HttpError`, that is the response. */
  def read(request: Request): Async[A]

  /** A reader of another type, converted by `f`. */
  final def map[B](f: A => B): BodyReader[B] =
    new BodyReader.Of[B](name, accepts, mediaTypes, readsCoded, acceptsAll, read(_).map(f))
}

object BodyReader {

  /**
   * A reader of `A`.
   *
   * @param name the type's name in error messages and documentation
   * @param accepts whether it reads bodies of a media type; by default it reads all
   * @param mediaTypes those that a 415 names in Accept (RFC 9110 §15.5.16)
   * @param readsCoded whether it reads bodies with a Content-Encoding too, which `read` finds in the request; others are
   *   refused with 415
   * @param read reads the body; if it fails with an `HttpError`, that is the response
   */
  def of[A](
      name: String,
      accepts: String => Boolean = anyType,
      mediaTypes: List[String] = Nil,
      readsCoded: Boolean = false
  )(read: Request => Async[A]): BodyReader[A] =
    new Of[A](name, accepts, mediaTypes, readsCoded, accepts eq anyType, read)

  private[routing] val anyType: String => Boolean = _ => true

  private[routing] final class Of[A](
      val name: String,
      suitable: String => Boolean,
      override val mediaTypes: List[String],
      override val readsCoded: Boolean,
      private[routing] override val acceptsAll: Boolean,
      reading: Request => Async[A]
  ) extends BodyReader[A] {
    def accepts(mediaType: String): Boolean = suitable(mediaType)
    def read(request: Request): Async[A]    = reading(request)
  }

  /** Text in the charset of Content-Type, else UTF-8; of any media type. */
  implicit val text: BodyReader[String] = of("text")(_.text)

  /** The bytes of the body as they were sent; of any media type and Content-Encoding. */
  implicit val bytes: BodyReader[Array[Byte]] = of("bytes", readsCoded = true)(_.body.bytes)

  /** The body as it arrives, of any Content-Encoding; nothing is read before the handler asks. */
  implicit val stream: BodyReader[ByteStream] =
    of("stream", readsCoded = true)(request => Async.value(request.body.stream))

  /** The parameters of an HTML form, sent as application/x-www-form-urlencoded. */
  implicit val form: BodyReader[Parameters] = of("form", _ == MediaType.Form, List(MediaType.Form))(_.form)
}
