package needletail.routing

import needletail.async.Async
import needletail.http.{Request, Response}
import needletail.routing.internal.description.ParameterDescription
import needletail.routing.internal.matching.{AsyncPart, Rejected}

private[routing] final class FilterPart[A](val name: String, check: Request => Async[Either[Response, A]])
    extends Part[A]
    with AsyncPart {
  private[routing] override def reads: Boolean                            = true
  private[routing] override def isAsync: Boolean                          = true
  private[routing] override def shortName: String                         = name
  private[routing] override def description: Option[ParameterDescription] =
    Some(ParameterDescription(name, "filter", "", required = true))
  private[routing] def start(request: Request): Async[Any] = check(request)
  private[routing] def settle(result: Any): Any            = result match {
    case Right(value)             => value
    case Left(response: Response) => new Rejected(response)
    case other                    =>
      throw new IllegalStateException(s"filter '$name' returned $other, which is neither Left nor Right")
  }
}

/**
 * A condition on a request that may take time to check, such as authentication and authorisation.
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
 * Filters run in their order when everything else of the route has matched, and before a body is read: so a request
 * that would be refused anyway costs no look-up, and the body of an unknown client is not read. A `Left` is the
 * response; no other route is tried.
 */
object Filter {

  /**
   * `name` appears in the documentation. A filter without a value returns `Right(())`. If `check` throws or fails, the
   * response is 500, or the one of an `HttpError`.
   */
  def apply[A](name: String)(check: Request => Async[Either[Response, A]]): Part[A] =
    new FilterPart(name, check)
}
