package needletail.examples.services

import needletail.http.{Handler, Reply}
import needletail.routing._

/**
 * Protects a handler that listens on loopback against pages of other sites in this machine's browser: the Host of a
 * request must be a loopback name (against DNS rebinding), and a page that sends requests must be one of `pages`,
 * which are allowed by CORS (Fetch §3.2).
 *
 * @param pages ports on this machine whose pages may send requests
 */
final class LocalOnly(handler: Handler, pages: Set[Int] = Set.empty) extends Handler {
  def apply(request: Request): Reply = {
    val origin = request.header("Origin")
    if (!request.header("Host").exists(host => LocalOnly.isLoopback(LocalOnly.withoutPort(host))))
      LocalOnly.refused
    else
      origin match {
        case None                             => handler(request)
        case Some(from) if !isOneOfOurs(from) => LocalOnly.refused
        case Some(from)                       =>
          if (request.method == Method.OPTIONS) allowed(from, Response(Status.NoContent))
          else
            handler(request) match {
              case response: Response => allowed(from, response)
              case later: Reply.Later => new Reply.Later(later.response.map(allowed(from, _)))
            }
      }
  }

  private def isOneOfOurs(origin: String): Boolean =
    pages.exists(port => LocalOnly.names.exists(name => origin == s"http://$name:$port"))

  private def allowed(origin: String, response: Response): Response =
    response
      .header("Access-Control-Allow-Origin", origin)
      .header("Access-Control-Allow-Methods", "GET, PUT")
      .header("Vary", "Origin")
}

private object LocalOnly {
  private val names = Set("localhost", "127.0.0.1", "[::1]")

  private def isLoopback(host: String): Boolean = names.contains(host.toLowerCase)

  private def withoutPort(authority: String): String = {
    val colon = authority.indexOf(':', authority.indexOf(']') + 1)
    if (colon < 0) authority else authority.substring(0, colon)
  }

  private val refused = Response.of(HttpError(Status.Forbidden, "only this machine may use this"))
}
