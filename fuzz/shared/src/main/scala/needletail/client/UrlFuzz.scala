package needletail.client

import java.net.{URI, URISyntaxException}

import needletail.client.url.Url
import needletail.fuzz.{Check, FuzzTarget}
import needletail.http.http1.{HeadLimits, HeadParser}
import needletail.io.Address

/**
 * URLs of calls, and references in Location headers: the input is a URL and, after a line feed, a reference that is
 * resolved against it. An accepted URL cannot add a second line to a request, and is the same when it is parsed again;
 * host and port are the same as for `java.net.URI`.
 */
object UrlFuzz extends FuzzTarget("url") {
  def check(data: Array[Byte]): Unit = {
    val text = Check.text(data)
    val feed = text.indexOf('\n')
    val base = if (feed < 0) text else text.substring(0, feed)
    Url.parse(base).foreach { url =>
      sound(url)
      if (!base.contains('#')) other(base, url)
      if (feed >= 0) {
        val reference = text.substring(feed + 1)
        url.resolve(reference).foreach { to =>
          sound(to)
          if (hasPath(reference))
            Check.same("resolved again", url.resolve(to.toString).map(_.toString), readAgain(to))
        }
      }
    }
  }

  override def read(data: Array[Byte]): Unit = {
    val text = Check.text(data)
    Url.parse(text)
    Url.parse("http://a/" + text)
    Url.parse("http://" + text)
    Url.parse("http://a/b").foreach(_.resolve(text))
  }

  /** Without a path of its own, a reference has the base's as it is, with its dot segments (RFC 3986 section 5.2.2). */
  private def hasPath(reference: String): Boolean =
    reference.nonEmpty && reference.charAt(0) != '?' && reference.charAt(0) != '#'

  private def readAgain(url: Url) = url.origin.address match {
    case _: Address.Unix => Url.parse(url.toString).map(_.toString) // a path is written without its escapes
    case _               => Right(url.toString)
  }

  private def sound(url: Url): Unit = {
    url.origin.address match {
      case Address.Tcp(host, port) =>
        Check.same("read again", Url.parse(url.toString).map(_.toString), Right(url.toString))
        Check(host.nonEmpty && port > 0 && port < 65536, s"host $host, port $port")
        Check(!host.exists(c => "/?#@[]\r\n ".indexOf(c.toInt) >= 0), s"host $host")
      case Address.Unix(path) => Check(path.startsWith("/"), path)
      case other              => Check(false, s"a URL names $other")
    }
    // as in a request: one head, of exactly these bytes
    val head   = s"GET ${url.target} HTTP/1.1\r\nHost: ${url.origin.authority}\r\n\r\n"
    val bytes  = Check.bytes(head)
    val parser = new HeadParser(HeadLimits(maxTarget = 65536, maxHead = 1 << 20))
    val n      = parser.parse(bytes, 0, bytes.length)
    Check(n == bytes.length || n == HeadParser.Bad, s"$n bytes of the request $head")
    if (n > 0) {
      Check.same("fields", parser.head.fieldCount, 1)
      Check.same("the target", parser.head.text(parser.head.targetFrom, parser.head.targetUntil), url.target)
    }
  }

  /** The host that the JDK would connect to. */
  private def other(text: String, url: Url): Unit = url.origin.address match {
    case Address.Tcp(host, port) =>
      val uri =
        try new URI(text)
        catch { case _: URISyntaxException => null }
      if (uri != null && uri.getHost != null) {
        val bare    = uri.getHost.toLowerCase.stripPrefix("[").stripSuffix("]")
        val default = if (uri.getScheme.equalsIgnoreCase("https")) 443 else 80
        Check.same("host and port", (host, port), (bare, if (uri.getPort < 0) default else uri.getPort))
      }
    case _ => ()
  }
}
