package needletail.routing

import needletail.http.{Attachment, Request}
import needletail.routing.internal.matching.{Matching, Pattern}

/** A value that needs no parsing: the request itself, or a value of its connection. */
private[routing] final class RequestValue[A](val name: String, of: Request => A) extends Part[A] {
  private[routing] def value(in: Matching): Any   = of(in.request)
  private[routing] def children: List[Pattern]    = Nil
  private[routing] override def reads: Boolean    = true
  private[routing] def segments: Int              = 0
  private[routing] override def shortName: String = name

  private[routing] override def demands(at: Int): Set[Any] = Set.empty
}

private[routing] object RequestValue {
  val request: Part[Request] = new RequestValue[Request]("request", identity)

  def attachment[A](key: Attachment[A]): Part[A] =
    new RequestValue[A]("connection", _.connection.attachment(key))
}
