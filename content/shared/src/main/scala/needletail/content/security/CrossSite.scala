package needletail.content.security

import needletail.async.Setting
import needletail.http.{Request, Response, Status}
import needletail.http.text.Origin
import needletail.routing.Routes

/**
 * Refuses requests that another site makes a browser send with this site's cookies (cross-site request forgery).
 *
 * Browsers send the origin of a request in Sec-Fetch-Site and Origin. A request that may change something (neither
 * GET, HEAD nor OPTIONS) is rejected with 403 if they name another site. A request with neither does not come from a browser, and
 * passes. So no token is needed in forms.
 *
 * @param trusted origins that may send such requests, as `https://shop.example`
 */
final case class CrossSite(trusted: Set[String] = Set.empty) {
  import CrossSite._

  for (origin <- trusted) Setting("CrossSite").check("trusted", origin, Origin.isValid(origin), Origin.form)

  private[content] def apply(routes: Routes): Routes =
    routes.around { (request, next) =>
      if (isAllowed(request)) next() else needletail.async.Async.value(refusal(request))
    }

  /** Whether the request passes. */
  def isAllowed(request: Request): Boolean =
    isHarmless(request) || request.header("origin").exists(trusted.contains) ||
      (request.header("sec-fetch-site") match {
        case Some(site) => site == "same-origin" || site == "none"
        case None       => request.header("origin").forall(Origin.isOf(_, request.authority))
      })
}

object CrossSite {
  private val refused   = Response(Status.Forbidden).text("a request from another site")
  private val otherPort =
    Response(Status.Forbidden).text(s"a request from another site; ${Origin.hostHint}")

  private def refusal(request: Request): Response =
    if (
      request.header("sec-fetch-site").isEmpty &&
      request.header("origin").exists(Origin.isOfOtherPort(_, request.authority))
    ) otherPort
    else refused

  private def isHarmless(request: Request): Boolean = request.method.isSafe
}
