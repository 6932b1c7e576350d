package needletail.client.url

import java.nio.charset.StandardCharsets.{ISO_8859_1, US_ASCII}

import needletail.http.message.PercentCoding
import needletail.http.text.{Ascii, Authority, Grammar}
import needletail.io.{Address, Tls, TlsPeer}

/**
 * A URL: the server and the target of a request.
 *
 * `http://host:port/path?query`, the same with `https` if TLS is supported, or
 * `http+unix://%2Frun%2Fapp.sock/path?query` for a Unix domain socket, whose percent-encoded path takes the place of the
 * host. A fragment is dropped, as it is not part of a request.
 */
private[needletail] final class Url(val origin: Origin, val target: String) {
  override def toString: String = origin.toString + target

  /** Resolves the reference of a Location header. Left is the error (RFC 3986 §5.2, RFC 9110 §10.2.2). */
  def resolve(reference: String): Either[String, Url] = {
    val plain = Url.withoutFragment(reference)
    if (Url.hasScheme(plain)) Url.parse(plain).map(_.withoutDots)
    else if (plain.startsWith("//"))
      Url.parse((if (origin.isSecure) "https:" else "http:") + plain).map(_.withoutDots)
    else {
      val question = target.indexOf('?')
      val path     = if (question < 0) target else target.substring(0, question)
      val merged   =
        if (plain.isEmpty) target
        else if (plain.startsWith("?")) path + plain
        else if (plain.startsWith("/")) Url.withoutDots(plain)
        else Url.withoutDots(path.substring(0, path.lastIndexOf('/') + 1) + plain)
      Url.target(merged).map(new Url(origin, _))
    }
  }

  private def withoutDots: Url = new Url(origin, Url.withoutDots(target))
}

/**
 * Scheme, host and port: identifies a host, and the servers that may see the same credentials.
 *
 * @param text for messages, in lower case, without a default port
 * @param authority the value of the Host header
 * @param address where to connect to
 * @param isSecure whether TLS is used
 */
private[needletail] final case class Origin(
    text: String,
    authority: String,
    address: Address,
    isSecure: Boolean = false
) {

  /** The peer of a TLS connection with the trust of `tls`; null without TLS. */
  def peer(tls: Tls): TlsPeer = address match {
    case Address.Tcp(host, _) if isSecure => tls.to(host)
    case _                                => null
  }

  override def toString: String = text
}

private[needletail] object Url {
  private final val Http  = "http://"
  private final val Https = "https://"
  private final val Unix  = "http+unix://"

  /** Parses a URL. Left is the error. */
  def parse(text: String): Either[String, Url] = {
    val plain = withoutFragment(text)
    val lower = Ascii.lower(plain)
    if (lower.startsWith(Http)) split(plain, Http)
    else if (lower.startsWith(Https))
      if (Tls.isKnown) split(plain, Https) else Left("https is not supported on this platform")
    else if (lower.startsWith(Unix)) split(plain, Unix)
    else Left("a URL must begin with http:// or https://, or with http+unix:// and the path of a socket")
  }

  /** A text that should be a URL, for messages: without a password. */
  def shown(text: String): String = {
    val slashes = text.indexOf("//")
    val from    = if (slashes < 0) 0 else slashes + 2
    val end     = text.indexWhere(c => c == '/' || c == '?' || c == '#', from)
    val at      = (if (end < 0) text else text.substring(0, end)).lastIndexOf('@')
    if (at < from) text else text.substring(0, from) + "…" + text.substring(at)
  }

  /** The origin of a base URL, which has no path except "/" and no query. Left is the error. */
  def origin(text: String): Either[String, Origin] = parse(text).flatMap(url =>
    if (url.target == "/") Right(url.origin) else Left("a base URL must not have a path or a query")
  )

  private def split(text: String, scheme: String): Either[String, Url] = {
    val from = scheme.length
    var end  = from
    while (end < text.length && text.charAt(end) != '/' && text.charAt(end) != '?') end += 1
    val named = text.substring(from, end)
    for {
      origin <- if (scheme == Unix) unixOrigin(named) else httpOrigin(scheme, named)
      target <- target(text.substring(end))
    } yield new Url(origin, target)
  }

  private def httpOrigin(scheme: String, named: String): Either[String, Origin] = {
    val bytes = Ascii.lower(named).getBytes(ISO_8859_1)
    val usual = if (scheme == Https) 443 else 80
    val last  = named.substring(named.lastIndexOf(':') + 1)
    if (named.indexOf('@') >= 0) Left("a URL must not contain credentials")
    else if (last.length < named.length && last.nonEmpty && last.forall(isDigit) && !isPort(last))
      Left(s"a URL's port must be 1 to 65535, not $last")
    else if (!named.forall(_ < 128) || !Authority.isValid(bytes, 0, bytes.length))
      Left("a URL must have a host, and may have a port")
    else {
      val text      = new String(bytes, US_ASCII)
      val colon     = if (text.startsWith("[")) text.indexOf(':', text.indexOf(']')) else text.indexOf(':')
      val host      = if (colon < 0) text else text.substring(0, colon)
      val port      = if (colon < 0 || colon + 1 == text.length) usual else text.substring(colon + 1).toInt
      val authority = if (port == usual) host else s"$host:$port"
      val bare      = if (host.startsWith("[")) host.substring(1, host.length - 1) else host
      Right(Origin(scheme + authority, authority, Address.Tcp(bare, port), isSecure = scheme == Https))
    }
  }

  private def isDigit(c: Char): Boolean       = c >= '0' && c <= '9'
  private def isPort(digits: String): Boolean = {
    val number = digits.dropWhile(_ == '0')
    number.nonEmpty && number.length <= 5 && number.toInt <= 65535
  }

  private def unixOrigin(named: String): Either[String, Origin] =
    PercentCoding.decode(named) match {
      case Right(path) if path.startsWith("/") => Right(unix(path))
      case _ => Left("http+unix:// must be followed by the percent-encoded absolute path of a socket")
    }

  /** The origin of a Unix socket. */
  def unix(path: String): Origin = Origin(s"unix:$path", "localhost", Address.Unix(path))

  /** A request target in origin form (RFC 9112 §3.2.1), with dot segments left as they are. Left is the error. */
  def target(text: String): Either[String, String] = {
    val rooted = if (text.isEmpty || text.charAt(0) == '?') "/" + text else text
    if (rooted.charAt(0) != '/') Left("a path must begin with a slash")
    else if (isTarget(rooted)) Right(rooted)
    else Left("a path or query contains a character that must be percent-encoded")
  }

  private def isTarget(text: String): Boolean = {
    var i = 0
    while (i < text.length) {
      val c = text.charAt(i)
      if (c > 127 || (Grammar.table(c.toInt) & Grammar.Query) == 0) return false
      i += 1
    }
    true
  }

  /**
   * A path that begins with a slash, and its query, without the path's dot segments (RFC 3986 §5.2.4). A dot may be
   * written as %2E, which servers take for the same (§6.2.2.2).
   */
  private def withoutDots(target: String): String = {
    val question = target.indexOf('?')
    val path     = if (question < 0) target else target.substring(0, question)
    if (!path.contains("/.") && !Ascii.lower(path).contains("/%2e")) target
    else {
      val segments = path.split("/", -1).toList.tail.map(plainDots)
      val kept     = segments.foldLeft(List.empty[String]) { // the last one first
        case (before, ".")     => before
        case (before, "..")    => before.drop(1)
        case (before, segment) => segment :: before
      }
      val isDirectory = segments.last == "." || segments.last == ".."
      (if (isDirectory) "" :: kept else kept).reverse.mkString("/", "/", "") + target.substring(path.length)
    }
  }

  /** A dot segment without percent-encoding; any other segment as it is. */
  private def plainDots(segment: String): String =
    if (segment.length > 6) segment
    else {
      val plain = Ascii.lower(segment).replace("%2e", ".")
      if (plain == "." || plain == "..") plain else segment
    }

  private def withoutFragment(text: String): String = {
    val hash = text.indexOf('#')
    if (hash < 0) text else text.substring(0, hash)
  }

  /** scheme ":" (RFC 3986 §3.1), before any slash or question mark. */
  private def hasScheme(text: String): Boolean = {
    var i = 0
    while (i < text.length && text.charAt(i) != ':' && text.charAt(i) != '/' && text.charAt(i) != '?') i += 1
    i > 0 && i < text.length && text.charAt(i) == ':'
  }
}
