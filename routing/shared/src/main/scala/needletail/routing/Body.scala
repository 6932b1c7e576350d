package needletail.routing

import needletail.async.Async
import needletail.http.Request
import needletail.http.message.{HttpError, MediaType, Status}
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

  /** Content-Type is part of the match: routes with the same path may read different media types. */
  private[routing] override def value(in: Matching): Any =
    if (in.isSettled(this)) in.settled(this)
    else {
      val declared = in.request.header("content-type")
      if (declared.isDefined && !reader.accepts(MediaType.essence(declared.get)))
        new Fault(
          HttpError(
            Status.UnsupportedMedia,
            s"expected a ${reader.name} body, got '${Quote(declared.get)}'"
          ),
          inPath = false
        )
      else Pending
    }

  private[routing] def start(request: Request): Async[Any] = reader.read(request)
  private[routing] def settle(result: Any): Any            = result
}
