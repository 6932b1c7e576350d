package needletail.client

import needletail.client.url.Url
import needletail.fuzz.{Check, FuzzTarget}
import needletail.http.text.Grammar

/**
 * Values of Set-Cookie, one in each line, from a host by https and by http: what is kept is for that host or for hosts
 * above it that have a dot, is sent to nobody else, and adds no second line to a request. Keeping it again changes
 * nothing.
 */
object SetCookieFuzz extends FuzzTarget("set-cookie") {
  private final val Now = 1700000000000L
  private val target    = "/a/b/c?d"
  private val secure    = origin("https://x.shop.example")
  private val plain     = origin("http://x.shop.example:8080")
  private val others    =
    List("https://example", "https://shop.example", "https://evil.example", "https://127.0.0.1")
      .map(origin(_))

  def check(data: Array[Byte]): Unit = {
    val values = Check.text(data).split('\n').toList.take(100)
    for (from <- List(secure, plain)) {
      val jar = new CookieJar(maxPerDomain = 20, maxCookies = 30)
      for (value <- values; _ <- 1 to 2) jar.receive(from, target, value, Now)
      Check(jar.cookies.length <= 30, s"${jar.cookies.length} cookies")
      jar.cookies.foreach { cookie =>
        val domains =
          if (cookie.isHostOnly) List("x.shop.example") else List("x.shop.example", "shop.example")
        Check(domains.contains(cookie.domain), s"a cookie for ${cookie.domain}")
        Check(from.isSecure || !cookie.secure, "a secure cookie by http")
        Check(cookie.path.startsWith("/"), cookie.path)
        Check(cookie.expires.forall(_ <= Now / 1000 + 400L * 24 * 3600), s"until ${cookie.expires}")
      }
      for (to <- secure :: plain :: others) {
        val sent = jar.header(to, target, Now)
        if (sent != null) {
          Check(Grammar.isFieldValue(sent), sent)
          Check(to != others.head && !others.drop(2).contains(to), s"sent to $to: $sent")
        }
      }
    }
  }

  override def read(data: Array[Byte]): Unit = new CookieJar().receive(secure, target, Check.text(data), Now)

  private def origin(url: String) =
    Url.origin(url).fold(why => throw new IllegalArgumentException(why), identity)
}
