package needletail.routing

import needletail.async.Async
import needletail.http.{ByteStream, HttpError, MediaType, QueryString, Request, Status}

/** The body of a request, read once the route has matched and its filters have let it through. */
object Body {

  /**
   * The body as an `A`: `String`, `Array[Byte]`, `Form`, `ByteStream`, or a type with a [[BodyReader]] of its
   * own, such as the ones of `needletail.json`.
   */
  def apply[A](implicit reader: BodyReader[A]): Part[A] = new BodyPart[A](reader)
}

private[routing] final class BodyPart[A](val reader: BodyReader[A]) extends Part[A] with AsyncPart {
  private[routing] override def reads: Boolean    = true
  private[routing] override def isAsync: Boolean  = true
  private[routing] override def shortName: String = "body"

  /** The Content-Type is part of the match: it costs nothing, and siblings may take different ones. */
  private[routing] override def value(in: Matching): Any =
    if (in.hasCome(this)) in.awaited(this)
    else {
      val declared = in.request.header("content-type")
      if (declared.isDefined && !reader.accepts(MediaType.essence(declared.get)))
        new Fault(
          HttpError(
            Status.UnsupportedMedia,
            s"a body of type '${Quote(declared.get)}' is not ${reader.name}"
          ),
          inPath = false
        )
      else Pending
    }

  private[routing] def start(request: Request): Async[Any] = reader.read(request)
  private[routing] def settle(result: Any): Any            = result
}

/** Reads a body as an `A`. */
@annotation.implicitNotFound(
  "nothing tells how to read a body as ${A}; known are String, Array[Byte], Form and ByteStream, with `import needletail.json._` any type that has a JsonValueCodec, and what an implicit BodyReader[${A}] of your own reads"
)
abstract class BodyReader[A] {

  /** What error messages and documentation call it. */
  def name: String

  /**
   * May a body of this media type, in lower case and without parameters, be one? Others are refused with 415. A
   * body without a Content-Type is always tried.
   */
  def accepts(mediaType: String): Boolean

  /** Reads it; an `HttpError` it fails with is the answer. */
  def read(request: Request): Async[A]

  /** A type made of this one. */
  final def map[B](f: A => B): BodyReader[B] = BodyReader.of(name, accepts)(read(_).map(f))
}

object BodyReader {
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

  /** Text in the charset of its Content-Type, else UTF-8; of any media type. */
  implicit val text: BodyReader[String] = of("text")(_.text)

  implicit val bytes: BodyReader[Array[Byte]] = of("bytes")(_.body.bytes)

  /** The body as it comes; nothing of it is read before the handler asks. */
  implicit val stream: BodyReader[ByteStream] = of("stream")(request => Async.value(request.body.stream))

  /** An HTML form's pairs, sent as application/x-www-form-urlencoded. */
  implicit val form: BodyReader[QueryString] = of("form", _ == MediaType.Form)(_.form)
}
