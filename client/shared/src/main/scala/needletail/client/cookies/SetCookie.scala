package needletail.client.cookies

import needletail.http.text.Ascii

/** Reads Set-Cookie (RFC 6265 §5.2, §5.3). */
private[cookies] object SetCookie {
  private final val MaxPair      = 4096
  private final val MaxAttribute = 1024
  private final val Forever      = 400L * 24 * 3600 // seconds that a cookie may last

  /** A cookie as sent by a server, with the hosts it claims to be for. */
  private final case class Attributes(
      domain: Option[String] = None,
      path: Option[String] = None,
      maxAge: Option[Long] = None, // seconds
      expires: Option[Long] = None,
      secure: Boolean = false,
      httpOnly: Boolean = false
  )

  /**
   * The cookie of a value of Set-Cookie, from `host` in answer to a request for `path`; None if it is malformed, or if
   * that host may not set it. One that is over already removes the one of its name, domain and path.
   */
  def parse(
      text: String,
      host: String,
      path: String,
      isSecure: Boolean,
      nowMillis: Long,
      isPublic: String => Boolean
  ): Option[StoredCookie] = {
    val parts = text.split(";", -1)
    val equal = parts(0).indexOf('=')
    val name  = if (equal < 0) "" else parts(0).substring(0, equal).trim
    val value = parts(0).substring(equal + 1).trim
    if (name.isEmpty || name.length + value.length > MaxPair || !(name + value).forall(isVisible)) None
    else {
      val said   = attributes(parts.iterator.drop(1))
      val now    = Math.floorDiv(nowMillis, 1000L)
      val cookie = StoredCookie(
        name,
        value,
        domain = host,
        path = said.path.getOrElse(directory(path)),
        expires = said.maxAge
          .map(age => if (age <= 0) 0L else now + Math.min(age, Forever))
          .orElse(said.expires.map(Math.min(_, now + Forever))),
        secure = said.secure,
        httpOnly = said.httpOnly
      )
      within(cookie, said.domain, isPublic).filter(c => isAllowed(c, isSecure, said.path.contains("/")))
    }
  }

  /** Whether the Domain is allowed: the host itself, or a parent domain that is not a public suffix. */
  private def within(
      cookie: StoredCookie,
      domain: Option[String],
      isPublic: String => Boolean
  ): Option[StoredCookie] = domain match {
    case None                                                                                  => Some(cookie)
    case Some(name) if CookieDomain.isAddress(cookie.domain) || name.isEmpty || isPublic(name) =>
      if (name == cookie.domain) Some(cookie) else None
    case Some(name) if name == cookie.domain || CookieDomain.isBelow(cookie.domain, name) =>
      Some(cookie.copy(domain = name, isHostOnly = false))
    case _ => None
  }

  /** Secure cookies are set by https only; the prefixes of a name promise what else is true of it. */
  private def isAllowed(cookie: StoredCookie, isSecure: Boolean, isRoot: Boolean): Boolean = {
    val name = Ascii.lower(cookie.name)
    if (cookie.secure && !isSecure) false
    else if (name.startsWith("__secure-")) cookie.secure
    else if (name.startsWith("__host-")) cookie.secure && cookie.isHostOnly && isRoot
    else true
  }

  private def attributes(parts: Iterator[String]): Attributes =
    parts.filter(_.length <= MaxAttribute).foldLeft(Attributes()) { (all, part) =>
      val equal = part.indexOf('=')
      val name  = Ascii.lower((if (equal < 0) part else part.substring(0, equal)).trim)
      val value = if (equal < 0) "" else part.substring(equal + 1).trim
      name match {
        case "expires"  => CookieDate.parse(value).fold(all)(at => all.copy(expires = Some(at)))
        case "max-age"  => seconds(value).fold(all)(age => all.copy(maxAge = Some(age)))
        case "domain"   => all.copy(domain = Some(Ascii.lower(value.stripPrefix("."))).filter(_.nonEmpty))
        case "path"     => all.copy(path = Some(value).filter(_.startsWith("/")))
        case "secure"   => all.copy(secure = true)
        case "httponly" => all.copy(httpOnly = true)
        case _          => all
      }
    }

  private def seconds(text: String): Option[Long] = {
    val digits = text.stripPrefix("-")
    if (digits.isEmpty || !digits.forall(c => c >= '0' && c <= '9')) None
    else if (text.startsWith("-")) Some(0)
    else Some(if (digits.length > 12) Forever else digits.toLong)
  }

  /** The default path (RFC 6265 §5.1.4). */
  private def directory(path: String): String = {
    val slash = path.lastIndexOf('/')
    if (slash <= 0) "/" else path.substring(0, slash)
  }

  private def isVisible(c: Char): Boolean = (c >= ' ' && c < 127) || c > 127
}
