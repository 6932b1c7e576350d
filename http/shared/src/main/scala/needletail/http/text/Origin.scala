package needletail.http.text

/** The origin of a page, as browsers send it (RFC 6454 §6.2). */
private[needletail] object Origin {

  /** What error messages say that an origin must be. */
  val form =
    "an origin as browsers send it, such as https://shop.example: lower case, no path, no default port"

  /** Whether a setting has that form; in another one it would never match. */
  def isValid(text: String): Boolean = text == "null" || {
    val colon = text.indexOf("://")
    colon > 0 && {
      val scheme = text.substring(0, colon)
      val host   = text.substring(colon + 3)
      host.nonEmpty && text.forall(c => c > ' ' && c < 127 && !(c >= 'A' && c <= 'Z')) &&
      !host.exists(c => c == '/' || c == '?' || c == '#' || c == '@' || c == '*' || c == ',') &&
      !(scheme == "https" && host.endsWith(":443")) && !(scheme == "http" && host.endsWith(":80"))
    }
  }

  /** Whether it is one of http or https with the host and port of `authority`. */
  def isOf(origin: String, authority: String): Boolean = {
    val port = usualPort(origin)
    port != null && Ascii.same(
      afterScheme(origin).stripSuffix(port),
      // the port that a proxy was asked on is the scheme's if it is left out
      authority.stripSuffix(port)
    )
  }

  /** Whether it is of that host, but of another port: a proxy may have left out or replaced the one of Host. */
  def isOfOtherPort(origin: String, authority: String): Boolean =
    usualPort(origin) != null && !isOf(origin, authority) &&
      Ascii.same(withoutPort(afterScheme(origin)), withoutPort(authority))

  /** What the response to such a request says in addition. */
  val hostHint =
    "the request's Host has another port. A proxy must pass Host on as it came: with nginx, " +
      "proxy_set_header Host $http_host, or fastcgi_param HTTP_HOST $http_host"

  private def usualPort(origin: String): String = {
    val scheme = origin.substring(0, Math.max(0, origin.indexOf("://")))
    if (Ascii.same(scheme, "https")) ":443" else if (Ascii.same(scheme, "http")) ":80" else null
  }

  private def afterScheme(origin: String) = origin.substring(origin.indexOf("://") + 3)

  private def withoutPort(authority: String) = {
    val colon = authority.lastIndexOf(':')
    if (colon > authority.lastIndexOf(']')) authority.substring(0, colon) else authority
  }
}
