package needletail.client.cookies

/**
 * A cookie that a server has set (RFC 6265 §5.3).
 *
 * @param domain the host it is sent to, in lower case
 * @param isHostOnly whether it is sent to that host only, otherwise to those below it as well
 * @param path it is sent with requests for this path and those below it
 * @param expires when it ends, in seconds since 1970; None: with the jar
 * @param secure whether it is sent by https only
 * @param httpOnly whether it is not meant for scripts; the client only notes it
 */
final case class StoredCookie(
    name: String,
    value: String,
    domain: String,
    isHostOnly: Boolean = true,
    path: String = "/",
    expires: Option[Long] = None,
    secure: Boolean = false,
    httpOnly: Boolean = false
) {

  /** Whether it is sent to a host, named in lower case (RFC 6265 §5.1.3). */
  private[cookies] def isFor(host: String): Boolean =
    host == domain || (!isHostOnly && CookieDomain.isBelow(host, domain))

  /** Whether it is sent for a path (RFC 6265 §5.1.4). */
  private[cookies] def isForPath(requested: String): Boolean =
    requested.startsWith(path) &&
      (requested.length == path.length || path.endsWith("/") || requested.charAt(path.length) == '/')

  private[cookies] def isOver(nowMillis: Long): Boolean =
    expires.exists(_ <= Math.floorDiv(nowMillis, 1000L))

  private[cookies] def isSame(other: StoredCookie): Boolean =
    name == other.name && domain == other.domain && path == other.path

  /** Without the value, which may be a secret. */
  override def toString: String = s"StoredCookie($name, $domain, $path)"
}

/** Names of hosts, in lower case. */
private[cookies] object CookieDomain {

  def isBelow(host: String, domain: String): Boolean =
    host.length > domain.length && host.endsWith(domain) &&
      host.charAt(host.length - domain.length - 1) == '.' && !isAddress(host)

  /** Whether it is an IP address: its last label is a number, or it is IPv6. */
  def isAddress(host: String): Boolean = {
    val last = host.substring(host.lastIndexOf('.') + 1)
    host.indexOf(':') >= 0 || (last.nonEmpty && last.forall(c => c >= '0' && c <= '9'))
  }
}
