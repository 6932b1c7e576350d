package needletail.http

import scala.concurrent.duration.FiniteDuration

/**
 * A cookie to be set (RFC 6265 §4.1). What could not be sent safely throws IllegalArgumentException: a name that
 * is no token, a value with white space, quotes, comma, semicolon, backslash or controls, a path or domain with
 * a semicolon or controls, SameSite=None without `secure`.
 *
 * @param value as it is sent; encode what may hold other characters, as with `PercentCoding.encode`
 * @param maxAge how long it is kept; None: as long as the browser runs. Zero or less removes it
 */
final case class Cookie(
    name: String,
    value: String,
    path: Option[String] = None,
    domain: Option[String] = None,
    maxAge: Option[FiniteDuration] = None,
    secure: Boolean = false,
    httpOnly: Boolean = false,
    sameSite: Option[Cookie.SameSite] = None
) {
  if (!Grammar.isToken(name)) throw new IllegalArgumentException("a cookie's name must be a token")
  if (!value.forall(Cookie.isValueChar))
    throw new IllegalArgumentException(s"the value of cookie '$name' needs encoding")
  if (!(path.toList ++ domain).forall(_.forall(c => c >= ' ' && c < 127 && c != ';')))
    throw new IllegalArgumentException(
      s"path or domain of cookie '$name' has a character that neither may have"
    )
  if (sameSite.contains(Cookie.SameSite.None) && !secure)
    throw new IllegalArgumentException(s"cookie '$name' must be secure to be sent across sites")

  /** The value of a Set-Cookie header. */
  def render: String = {
    val s = new java.lang.StringBuilder(64)
    s.append(name).append('=').append(value)
    path.foreach(p => s.append("; Path=").append(p))
    domain.foreach(d => s.append("; Domain=").append(d))
    maxAge.foreach(age => s.append("; Max-Age=").append(Math.max(0L, age.toSeconds)))
    if (secure) s.append("; Secure")
    if (httpOnly) s.append("; HttpOnly")
    sameSite.foreach(site => s.append("; SameSite=").append(site.name))
    s.toString
  }
}

object Cookie {
  sealed abstract class SameSite(val name: String)
  object SameSite {
    case object Strict extends SameSite("Strict")
    case object Lax    extends SameSite("Lax")
    case object None   extends SameSite("None")
  }

  /** A cookie that makes the browser forget the one of that name, path and domain. */
  def removal(name: String, path: Option[String] = None, domain: Option[String] = None): Cookie =
    Cookie(name, "", path, domain, maxAge = Some(FiniteDuration(0, java.util.concurrent.TimeUnit.SECONDS)))

  // cookie-octet, RFC 6265 §4.1.1
  private def isValueChar(c: Char): Boolean =
    c > ' ' && c < 127 && c != '"' && c != ',' && c != ';' && c != '\\'

  /**
   * Names and values of a Cookie header, in order. What is malformed is passed over, as browsers' cookies are not
   * the request's fault (RFC 6265 §5.4 is read leniently); quotes around a value are taken off.
   */
  private[needletail] def parse(header: String): List[(String, String)] = {
    val cookies = List.newBuilder[(String, String)]
    var from    = 0
    while (from < header.length) {
      val semicolon = header.indexOf(';', from)
      val until     = if (semicolon < 0) header.length else semicolon
      // up to the semicolon and no further: a header of many parts without "=" must not cost the square of its length
      var equal = from
      while (equal < until && header.charAt(equal) != '=') equal += 1
      if (equal > from && equal < until) {
        val name  = header.substring(from, equal).trim
        val value = header.substring(equal + 1, until).trim
        val bare  =
          if (value.length >= 2 && value.charAt(0) == '"' && value.charAt(value.length - 1) == '"')
            value.substring(1, value.length - 1)
          else value
        if (Grammar.isToken(name)) cookies += name -> bare
      }
      from = until + 1
    }
    cookies.result()
  }
}
