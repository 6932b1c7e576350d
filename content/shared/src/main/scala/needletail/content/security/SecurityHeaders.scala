package needletail.content.security

import scala.concurrent.duration._

import needletail.http.{Request, Response}
import needletail.routing.Routes

/**
 * Headers that restrict what browsers do with a page. Headers set by a handler are kept; an empty text sends none.
 *
 * @param contentSecurityPolicy by default only that no other site shows these pages in a frame
 * @param hsts for how long browsers use https only, once they have (RFC 6797); sent over TLS only. None sends none
 * @param hstsSubdomains whether that applies to all subdomains
 */
final case class SecurityHeaders(
    contentSecurityPolicy: String = "frame-ancestors 'self'",
    referrerPolicy: String = "strict-origin-when-cross-origin",
    crossOriginOpenerPolicy: String = "same-origin",
    permissionsPolicy: String = "",
    hsts: Option[FiniteDuration] = None,
    hstsSubdomains: Boolean = false
) {
  private val always = List(
    "X-Content-Type-Options"     -> "nosniff",
    "Content-Security-Policy"    -> contentSecurityPolicy,
    "Referrer-Policy"            -> referrerPolicy,
    "Cross-Origin-Opener-Policy" -> crossOriginOpenerPolicy,
    "Permissions-Policy"         -> permissionsPolicy
  ).filter(_._2.nonEmpty)

  private val strict =
    hsts.map(age => s"max-age=${age.toSeconds}" + (if (hstsSubdomains) "; includeSubDomains" else ""))

  private[content] def apply(routes: Routes): Routes = routes.mapResponse(guarded)

  private def guarded(request: Request, response: Response): Response = {
    val set = always.foldLeft(response) { case (r, (name, value)) => missing(r, name, value) }
    strict match {
      case Some(value) if request.connection.isSecure => missing(set, "Strict-Transport-Security", value)
      case _                                          => set
    }
  }

  private def missing(response: Response, name: String, value: String): Response =
    if (response.headers.contains(name)) response else response.header(name, value)
}
