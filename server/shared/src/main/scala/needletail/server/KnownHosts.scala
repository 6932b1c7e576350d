package needletail.server

import needletail.http._

/**
 * Answers those only who ask for this machine by a name of its own; see [[AdminConfig]]. A request without Host, which
 * no browser sends, is let through.
 */
private[server] final class KnownHosts(host: String, names: Set[String], handler: Handler) extends Handler {
  private val known      = (names + host ++ KnownHosts.loopback).map(_.toLowerCase)
  private val isLoopback = KnownHosts.isLoopback(host)

  private[needletail] override def routeClass: RouteClass = handler.routeClass

  def apply(request: Request): Reply = {
    val name = KnownHosts.withoutPort(request.authority).toLowerCase
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
    HttpError(
      Status.MisdirectedRequest,
      "this address is known by other names; see AdminConfig.names"
    ).response

  /** IPv6 addresses without their brackets. */
  def withoutPort(authority: String): String =
    if (authority.startsWith("[")) authority.substring(1, math.max(1, authority.indexOf(']')))
    else {
      val colon = authority.indexOf(':')
      if (colon < 0) authority else authority.substring(0, colon)
    }

  /** Written in digits, whichever. */
  def isAddress(name: String): Boolean =
    if (name.indexOf(':') >= 0) name.forall(c => c == ':' || c == '.' || Character.digit(c, 16) >= 0)
    else {
      val parts = name.split("\\.", -1)
      parts.length == 4 && parts.forall(part =>
        part.nonEmpty && part.length <= 3 && part.forall(c => c >= '0' && c <= '9') && part.toInt <= 255
      )
    }

  def isLoopback(name: String): Boolean =
    loopback(name.toLowerCase) || (isAddress(name) && name.startsWith("127."))
}
