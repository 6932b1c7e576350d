package needletail.routing

import needletail.async.Async
import needletail.http.{Attachment, Request, Response}

/** A part that has to wait until the route has matched; asked for each request at most once. */
private[routing] trait AsyncPart { this: Part[?] =>

  /** Begins; the result is given to `settle`. */
  private[routing] def start(request: Request): Async[Any]

  /** The part's value, or a [[Rejected]]. */
  private[routing] def settle(result: Any): Any

  private[routing] def value(in: Matching): Any = in.awaited(this)
  private[routing] def children: List[Part[?]]  = Nil
  private[routing] def segments: Int            = 0
}

/** The response of a filter that lets a request go no further. */
private[routing] final class Rejected(val response: Response)

private[routing] final class FilterPart[A](val name: String, check: Request => Async[Either[Response, A]])
    extends Part[A]
    with AsyncPart {
  private[routing] override def reads: Boolean             = true
  private[routing] override def isAsync: Boolean           = true
  private[routing] override def shortName: String          = name
  private[routing] def start(request: Request): Async[Any] = check(request)
  private[routing] def settle(result: Any): Any            = result match {
    case Right(value)             => value
    case Left(response: Response) => new Rejected(response)
    case other                    => throw new IllegalStateException(s"filter '$name' answered $other")
  }
}

/**
 * Asks something of a request that may take time: who sends it, whether they may.
 *
 * {{{
 * val authorised = Filter("bearer token") { request =>
 *   tokens.check(request.header("Authorization")).map {
 *     case Some(user) => Right(user)
 *     case None       => Left("who are you?".unauthorized)
 *   }
 * }
 * orders + POST + Body[Order] + authorised to { case (order, user) => … }
 * }}}
 * Filters run in their order once everything else of the route has matched, and before a body is read: no
 * request that would be refused anyway costs a look-up, and nobody unknown has their body read. A `Left` is the
 * answer, then; no other route is tried.
 */
object Filter {

  /** `name` stands in the documentation. A filter that yields no value answers `Right(())`. */
  def apply[A](name: String)(check: Request => Async[Either[Response, A]]): Part[A] = new FilterPart(name, check)
}

/** Something known about a request without parsing: the request itself, a value of its connection. */
private[routing] final class Given[A](val name: String, of: Request => A) extends Part[A] {
  private[routing] def value(in: Matching): Any   = of(in.request)
  private[routing] def children: List[Part[?]]    = Nil
  private[routing] override def reads: Boolean    = true
  private[routing] def segments: Int              = 0
  private[routing] override def shortName: String = name
}

private[routing] object Given {
  val request: Part[Request] = new Given[Request]("request", identity)

  def attachment[A](key: Attachment[A]): Part[A] = new Given[A]("connection", _.connection.attachment(key))
}
