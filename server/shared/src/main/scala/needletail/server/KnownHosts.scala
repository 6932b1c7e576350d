package needletail.server

import needletail.http.{Handler, Reply, Request, Response}
import needletail.http.admission.RouteClass
import needletail.http.message.{HttpError, Status}
import needletail.http.text.Ascii

/**
 * Passes on only requests whose Host is a name of this machine, as a defence against DNS rebinding; see
 * [[AdminConfig]]. Others get a 421. A request without Host, which no browser sends, is passed on.
 *
 * @param host the address that is listened on
 * @param names further names that are allowed; case-insensitive
 */
private[server] final class KnownHosts(host: String, names: Set[String], handler: Handler) extends Handler {
  private val known      = (names + host ++ KnownHosts.loopback).map(Ascii.lower(_))
  private val isLoopback = KnownHosts.isLoopback(host)

  private[needletail] override def routeClass: RouteClass = handler.routeClass

  def apply(request: Request): Reply = {
    val name = Ascii.lower(KnownHosts.withoutPort(request.authority))
    if (
      name.isEmpty || known(name) || (if (isLoopback) KnownHosts.isLoopback(name)
                                      else KnownHosts.isAddress(name))
    )
      handler(request)
    else KnownHosts.misdirected
  }
}

private[server] object KnownHosts {
  private val loopback    = Set("localhost", "127.0.0.1", "::1")
  private val misdirected =
    Response.of(HttpError(
      Status.MisdirectedRequest,
      "unknown host name; see AdminConfig.names"
    ))

  /** The host of an authority (RFC 3986 §3.2), without its port; an IPv6 address without its brackets. */
  def withoutPort(authority: String): String =
    if (authority.startsWith("[")) authority.substring(1, math.max(1, authority.indexOf(']')))
    else {
      val colon = authority.indexOf(':')
      if (colon < 0) authority else authority.substring(0, colon)
    }

  /** Whether it is an IPv4 or IPv6 address in digits. */
  def isAddress(name: String): Boolean =
    if (name.indexOf(':') >= 0) name.forall(c => c == ':' || c == '.' || Character.digit(c, 16) >= 0)
    else {
      val parts = name.split("\\.", -1)
      parts.length == 4 && parts.forall(part =>
        part.nonEmpty && part.length <= 3 && part.forall(c => c >= '0' && c <= '9') && part.toInt <= 255
      )
    }

  /** Whether it is `localhost` or a loopback address. */
  def isLoopback(name: String): Boolean =
    loopback(Ascii.lower(name)) || (isAddress(name) && name.startsWith("127."))
}
