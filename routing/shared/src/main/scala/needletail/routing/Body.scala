package needletail.routing

import needletail.async.Async
import needletail.http.Request
import needletail.http.message.{Headers, HttpError, MediaType, Status}
import needletail.routing.internal.description.ParameterDescription
import needletail.routing.internal.matching.{AsyncPart, Fault, Matching, Pending, Quote}

/** The body of a request, read when the route has matched and its filters have accepted the request. */
object Body {

  /**
   * The body as an `A`: `String`, `Array[Byte]`, `Parameters`, `ByteStream`, or a type with a [[BodyReader]] of its
   * own, such as those of `needletail.json`.
   */
  def apply[A](implicit reader: BodyReader[A]): Part[A] = new BodyPart[A](reader)
}

private[routing] final class BodyPart[A](val reader: BodyReader[A]) extends Part[A] with AsyncPart {
  private[routing] override def reads: Boolean                            = true
  private[routing] override def isAsync: Boolean                          = true
  private[routing] override def readsBody: Boolean                        = true
  private[routing] override def shortName: String                         = "body"
  private[routing] override def description: Option[ParameterDescription] =
    Some(ParameterDescription("body", "body", reader.name, required = true))

  private[routing] override def demands(at: Int): Set[Any] =
    (if (reader.acceptsAll) Set.empty[Any] else Set[Any](reader)) ++
      (if (reader.readsCoded) Set.empty[Any] else Set[Any](BodyPart.Plain))

  /**
   * Content-Type and Content-Encoding are part of the match: routes with the same path may read different media types,
   * and codings.
   */
  private[routing] override def value(in: Matching): Any =
    if (in.isSettled(this)) in.settled(this)
    else {
      val declared = in.request.header("content-type")
      if (declared.isDefined && !reader.accepts(MediaType.essence(declared.get)))
        new Fault(
          HttpError(
            Status.UnsupportedMedia,
            s"expected a ${reader.name} body, got '${Quote(declared.get)}'",
            if (reader.mediaTypes.isEmpty) Headers.empty
            else Headers("Accept" -> reader.mediaTypes.mkString(", "))
          ),
          inPath = false
        )
      else {
        val error = if (reader.readsCoded) null else in.request.codingRefusal
        if (error == null) Pending else new Fault(error, inPath = false)
      }
    }

  private[routing] def start(request: Request): Async[Any] = reader.read(request)
  private[routing] def settle(result: Any): Any            = result
}

private[routing] object BodyPart {

  /** The demand for a body without a coding. */
  case object Plain
}
