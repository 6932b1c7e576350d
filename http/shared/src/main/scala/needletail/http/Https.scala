package needletail.http

import scala.concurrent.duration.FiniteDuration

import needletail.async.{Async, Setting}
import needletail.http.message.{HttpError, Status}
import needletail.http.text.Ascii

/** Makes clients of a plain HTTP server use https. */
object Https {

  /**
   * A handler that redirects every request to the same URL with https, by status 308, which keeps method and content.
   *
   * {{{
   *   Server.runAll(Server(routes, secure), Server(Https.redirect(), port = 80))
   * }}}
   *
   * @param port  where https is served
   * @param host  the host to redirect to; None: the one that the request is for. A request without one gets 400
   * @param hosts the hosts that requests may be for, without ports; those for others get 421. Empty: any
   * @throws java.lang.IllegalArgumentException for one of `hosts` with a port
   */
  def redirect(port: Int = DefaultPort, host: Option[String] = None, hosts: Seq[String] = Nil): Handler = {
    val to = new Target(port, host, hosts)
    Handler((request: Request) => to.redirection(request))
  }

  /**
   * For `around`: redirects requests that came without TLS, as `redirect` does, and has the others served. For servers
   * behind a proxy that ends TLS and says so in its PROXY header.
   *
   * {{{
   *   Server(routes.around(Https.only()), ServerConfig(proxies = Seq("10.0.0.0/8")))
   * }}}
   *
   * @param port  as for `redirect`
   * @param host  as for `redirect`
   * @param hosts as for `redirect`; requests over TLS may be for any host
   * @throws java.lang.IllegalArgumentException as `redirect` does
   */
  def only(
      port: Int = DefaultPort,
      host: Option[String] = None,
      hosts: Seq[String] = Nil
  ): (Request, () => Async[Response]) => Async[Response] = {
    val to = new Target(port, host, hosts)
    (request, next) =>
      if (request.connection.isSecure) next() else Async.value(to.redirection(request))
  }

  private final class Target(port: Int, host: Option[String], hosts: Seq[String]) {
    hosts.foreach(h =>
      Setting("Https").check("hosts", h, h.nonEmpty && withoutPort(h) == h, "a host, without a port")
    )
    private val allowed = hosts.map(Ascii.lower).toSet
    private val suffix  = if (port == DefaultPort) "" else s":$port"

    def redirection(request: Request): Response = {
      val asked = withoutPort(request.authority)
      val name  = host.getOrElse(asked)
      if (name.isEmpty || asked.isEmpty && allowed.nonEmpty)
        Response.of(HttpError(Status.BadRequest, "the Host header is missing"))
      else if (allowed.nonEmpty && !allowed.contains(Ascii.lower(asked)))
        Response.of(HttpError(Status.MisdirectedRequest, "this server is not for that host"))
      else Response(Status.PermanentRedirect).header("Location", s"https://$name$suffix${origin(request)}")
    }
  }

  /**
   * For `mapResponse`: tells browsers to use nothing but https for this host from now on (HSTS, RFC 6797). Only for
   * responses over TLS, as the RFC demands; and for those behind a proxy that ends TLS, if `always`.
   *
   * {{{
   *   routes.mapResponse(Https.strict(365.days))
   * }}}
   *
   * @param maxAge            how long
   * @param includeSubDomains whether for all names below the host's too
   * @param preload           whether browsers may have the host in a list that comes with them
   * @param always            whether for responses without TLS, too
   */
  def strict(
      maxAge: FiniteDuration,
      includeSubDomains: Boolean = false,
      preload: Boolean = false,
      always: Boolean = false
  ): (Request, Response) => Response = {
    val value = s"max-age=${maxAge.toSeconds}" + (if (includeSubDomains) "; includeSubDomains" else "") +
      (if (preload) "; preload" else "")
    (request, response) =>
      if (always || request.connection.isSecure) response.header("Strict-Transport-Security", value)
      else response
  }

  /** Path and query, as sent. */
  private def origin(request: Request): String = {
    val target = request.target
    if (target.startsWith("/")) target
    else {
      val path = request.path
      (if (path.startsWith("/")) path else "/") + request.query.fold("")("?" + _)
    }
  }

  private def withoutPort(authority: String): String = {
    val colon = authority.lastIndexOf(':')
    if (colon < 0 || authority.indexOf(']') > colon) authority else authority.substring(0, colon)
  }

  private final val DefaultPort = 443
}
