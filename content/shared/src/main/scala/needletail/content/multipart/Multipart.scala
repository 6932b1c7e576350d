package needletail.content.multipart

import needletail.async.Async
import needletail.http.message.HttpError
import needletail.http.{MediaType, MessageBody, Request, Status}
import needletail.routing.BodyReader

/**
 * The parts of a form (multipart/form-data, RFC 7578), read from the connection on demand.
 *
 * {{{
 * POST / "upload" + Body[Multipart] to (form =>
 *   form.each(part => part.content.writeTo(freshFile()).map(size => part.name + ": " + size + " bytes")).map(_.mkString("\n").ok)
 * )
 * }}}
 * A form that is malformed fails with HttpError 400, one beyond the limits with 413.
 */
final class Multipart private[multipart] (body: MessageBody, boundary: String, limits: MultipartLimits) {
  private val source = body.allPieces
  private val reader = new PartReader(source, boundary, limits, body)

  /** The next part; None after the last one. The unread rest of the previous part is skipped. */
  def next(): Async[Option[FormPart]] = reader.nextPart()

  /** The results of `f` for all parts, one part after the other. */
  def each[A](f: FormPart => Async[A]): Async[List[A]] = {
    var count                             = 0
    def go(done: List[A]): Async[List[A]] = next().flatMap {
      case None       => Async.value(done.reverse)
      case Some(part) =>
        count += 1
        Async.defer(f(part)).flatMap { a =>
          if (count % 64 == 0) Async.yieldNow.flatMap(_ => go(a :: done)) else go(a :: done)
        }
    }
    go(Nil)
  }

  /** Ends it early. */
  def cancel(): Unit = source.cancel()
}

object Multipart {

  /** `Body[Multipart]`, with the default limits. */
  implicit val reader: BodyReader[Multipart] = reader(MultipartLimits())

  /** `Body(Multipart.reader(limits))`. */
  def reader(limits: MultipartLimits): BodyReader[Multipart] =
    BodyReader.of("multipart form", _ == "multipart/form-data", List("multipart/form-data"))(request =>
      Async.fromTry(of(request, limits).toTry)
    )

  /** The parts of a request's body. The error is a 415 or a 400. */
  def of(request: Request, limits: MultipartLimits = MultipartLimits()): Either[HttpError, Multipart] =
    request.contentType match {
      case Some(value) if MediaType.essence(value) == "multipart/form-data" =>
        val coded = request.codingRefusal
        MediaType.parameter(value, "boundary").filter(isBoundary) match {
          case _ if coded != null                                    => Left(coded)
          case Some(boundary) if request.body.length <= limits.total =>
            Right(new Multipart(request.body, boundary, limits))
          case Some(_) =>
            Left(HttpError(Status.ContentTooLarge, s"the form is larger than ${limits.total} bytes"))
          case None =>
            Left(HttpError(Status.BadRequest, "the Content-Type of a multipart form needs a valid boundary"))
        }
      case _ => Left(HttpError(Status.UnsupportedMedia, "the body is not a multipart form"))
    }

  /** RFC 2046 §5.1.1: 1 to 70 characters. */
  private def isBoundary(text: String): Boolean =
    text.nonEmpty && text.length <= 70 && !text.endsWith(" ") &&
      text.forall(c =>
        (c | 32) >= 'a' && (c | 32) <= 'z' || c >= '0' && c <= '9' || "'()+_,-./:=? ".indexOf(c.toInt) >= 0
      )
}
