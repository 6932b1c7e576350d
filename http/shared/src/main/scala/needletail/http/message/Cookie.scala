package needletail.http.message

import scala.concurrent.duration.FiniteDuration

import needletail.http.text.{Excerpt, Grammar}

/**
 * A cookie to set (RFC 6265 §4.1). By default scripts cannot read it, and browsers leave it out of requests that other
 * sites make, except when the user follows a link. Over TLS say `secure = true`, too, so that it never goes unencrypted.
 *
 * Throws IllegalArgumentException for a name that is not a token; a value with white
 * space, quotes, commas, semicolons, backslashes or control characters; a path or domain with semicolons or control
 * characters; and SameSite=None without `secure`.
 *
 * @param value as sent; encode other characters, for example by `PercentCoding.encode`
 * @param path it is sent with requests for that path and those below it; None: for the directory of the request's path
 * @param maxAge how long the browser keeps it; None: until the browser is closed. Zero or less removes it
 * @param secure whether it is sent by https only
 * @param httpOnly whether it is hidden from scripts
 * @param sameSite whether it is sent with requests that other sites make; None: as the browser likes
 */
final case class Cookie(
    name: String,
    value: String,
    path: Option[String] = None,
    domain: Option[String] = None,
    maxAge: Option[FiniteDuration] = None,
    secure: Boolean = false,
    httpOnly: Boolean = true,
    sameSite: Option[Cookie.SameSite] = Some(Cookie.SameSite.Lax)
) {
  if (!Grammar.isToken(name))
    throw new IllegalArgumentException(
      s"the cookie name '${Excerpt(name)}' is no token (RFC 9110 §5.6.2): ${Excerpt.notToken(name)}"
    )
  if (!value.forall(Cookie.isValueChar))
    throw new IllegalArgumentException(s"the value of cookie '$name' needs encoding")
  if (!(path.toList ++ domain).forall(_.forall(c => c >= ' ' && c < 127 && c != ';')))
    throw new IllegalArgumentException(
      s"path or domain of cookie '$name' has a character that is not allowed there"
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

  /** The SameSite attribute: whether the browser sends the cookie with requests from other sites. */
  sealed abstract class SameSite(val name: String)
  object SameSite {
    case object Strict extends SameSite("Strict")
    case object Lax    extends SameSite("Lax")
    case object None   extends SameSite("None")
  }

  /** A cookie that makes the browser delete the one with that name, path and domain. */
  def removal(name: String, path: Option[String] = None, domain: Option[String] = None): Cookie =
    Cookie(name, "", path, domain, maxAge = Some(FiniteDuration(0, java.util.concurrent.TimeUnit.SECONDS)))

  // cookie-byte, RFC 6265 §4.1.1
  private def isValueChar(c: Char): Boolean =
    c > ' ' && c < 127 && c != '"' && c != ',' && c != ';' && c != '\\'

  /**
   * Parses a Cookie header into names and values, in order. Malformed parts are skipped, as a request may have cookies
   * that other programs have set (RFC 6265 §5.4). Quotes around a value are removed.
   */
  private[needletail] def parse(header: String): List[(String, String)] = {
    val cookies = List.newBuilder[(String, String)]
    var from    = 0
    while (from < header.length) {
      val semicolon = header.indexOf(';', from)
      val until     = if (semicolon < 0) header.length else semicolon
      // searched up to the semicolon only: otherwise a header of many parts without "=" would take quadratic time
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
