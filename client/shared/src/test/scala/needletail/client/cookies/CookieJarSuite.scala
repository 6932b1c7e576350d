package needletail.client.cookies

import needletail.client.url.Url
import needletail.io.EventLoop
import needletail.testing.Suite

/** Which cookies are kept, and where they are sent (RFC 6265 §5). */
class CookieJarSuite extends Suite {
  private final val Now = 1700000000000L // 14 November 2023, 22:13:20

  private def url(text: String): Url = Url.parse(text).fold(why => fail(why), identity)

  private def set(jar: CookieJar, where: String, values: String*): Unit =
    values.foreach(jar.receive(url(where).origin, url(where).target, _, Now))

  private def sent(jar: CookieJar, where: String, now: Long = Now): String =
    String.valueOf(jar.header(url(where).origin, url(where).target, now))

  /** What of these is sent back to another URL. */
  private def via(from: String, values: String*)(to: String): String = {
    val jar = new CookieJar
    set(jar, from, values*)
    sent(jar, to)
  }

  test("a cookie of one's own may end in any second, even in the last one there is") {
    def kept(expires: Long) = {
      val jar = new CookieJar
      jar.add(StoredCookie("k", "v", "a.example", expires = Some(expires)))
      sent(jar, "http://a.example/")
    }
    assertEquals(Seq(Long.MaxValue, Now / 1000 + 1000000000L).map(kept), Seq("k=v", "k=v"))
    assertEquals(Seq(0L, Long.MinValue).map(kept), Seq("null", "null"))
  }

  test("a cookie goes to its host, on every port, or to its domain and all below") {
    assertEquals(via("http://a.example/", "k=v")("http://a.example:8080/x?q"), "k=v")
    assertEquals(via("http://a.example/", "k=v")("http://b.a.example/"), "null")
    assertEquals(via("http://A.example/", "k=v; Domain=.Example.COM")("http://a.example/"), "null")
    val shop = via("http://a.shop.example/", "k=v; Domain=shop.example") _
    assertEquals(
      List(
        "http://shop.example/",
        "http://b.a.shop.example/",
        "http://xshop.example/",
        "http://example/"
      ).map(shop),
      List("k=v", "k=v", "null", "null")
    )
    assertEquals(via("http://a.example/", "k=v; Domain=b.a.example")("http://b.a.example/"), "null")
    assertEquals(via("http://a.example/", "k=v; Domain=other.example")("http://other.example/"), "null")
    assertEquals(via("http+unix://%2Frun%2Fa/", "k=v")("http+unix://%2Frun%2Fa/"), "k=v")
    assertEquals(via("http+unix://%2Frun%2Fa/", "k=v")("http+unix://%2Frun%2Fb/"), "null")
  }

  test("a domain without a dot, a public one, and one of an address are refused") {
    assertEquals(via("http://a.com/", "k=v; Domain=com")("http://a.com/"), "null")
    assertEquals(via("http://localhost/", "k=v; Domain=localhost")("http://localhost/"), "k=v")
    assertEquals(via("http://localhost/", "k=v; Domain=localhost")("http://a.localhost/"), "null")
    assertEquals(via("http://127.0.0.1/", "k=v; Domain=0.0.1")("http://127.0.0.1/"), "null")
    assertEquals(via("http://127.0.0.1/", "k=v; Domain=127.0.0.1")("http://127.0.0.1/"), "k=v")
    assertEquals(via("http://[::1]/", "k=v")("http://[::1]/"), "k=v")
    val jar = new CookieJar(isPublicSuffix = _ == "co.uk")
    set(jar, "http://a.co.uk/", "k=v; Domain=co.uk", "l=w; Domain=a.co.uk")
    assertEquals(sent(jar, "http://a.co.uk/"), "l=w")
  }

  test("paths: given, by default, and the longest first") {
    assertEquals(via("http://a/x/y", "k=v")("http://a/x/z"), "k=v")
    assertEquals(via("http://a/x/y?a=/b/c", "k=v")("http://a/x"), "k=v")
    assertEquals(via("http://a/x/y", "k=v")("http://a/xy"), "null")
    assertEquals(via("http://a/x/y", "k=v; Path=/")("http://a/"), "k=v")
    assertEquals(via("http://a/x/y", "k=v; Path=relative")("http://a/x/"), "k=v")
    assertEquals(via("http://a/x", "k=1; Path=/", "k=2; Path=/x", "l=3")("http://a/x"), "k=2; k=1; l=3")
  }

  test("secure cookies are set and sent by https only, and not hidden by others") {
    assertEquals(via("https://a/", "k=v; Secure; HttpOnly")("https://a/"), "k=v")
    assertEquals(via("https://a/", "k=v; Secure")("http://a/"), "null")
    assertEquals(via("http://a/", "k=v; Secure")("https://a/"), "null")
    val jar = new CookieJar
    set(jar, "https://a.b/x", "k=v; secure; Path=/x")
    set(jar, "http://a.b/x", "k=forged; Path=/x", "k=forged; Path=/x/y; Domain=a.b", "k=other; Path=/")
    assertEquals(sent(jar, "https://a.b/x/y"), "k=v; k=other")
    assertEquals(via("https://a/", "__Secure-k=v")("https://a/"), "null")
    assertEquals(via("https://a/", "__Host-k=v; Secure; Path=/x")("https://a/x"), "null")
    assertEquals(via("https://a/", "__Host-k=v; Secure; Path=/")("https://a/x"), "__Host-k=v")
  }

  test("ages and dates; a cookie that is over removes the one before it") {
    val jar = new CookieJar
    set(jar, "http://a/", "k=v; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "l=w; Max-Age=x")
    assertEquals(sent(jar, "http://a/", Now + 9999), "k=v; l=w")
    assertEquals(sent(jar, "http://a/", Now + 10000), "l=w")
    set(jar, "http://a/", "l=; expires=Thu, 01-Jan-70 00:00:01 GMT")
    assertEquals(sent(jar, "http://a/"), "k=v")
    set(jar, "http://a/", "k=; Max-Age=0")
    assertEquals((sent(jar, "http://a/"), jar.cookies.length), ("null", 0))
    set(jar, "http://a/", "m=1; Expires=Tue, 14 Nov 2023 22:13:21 GMT", "n=1; Max-Age=99999999999999")
    assertEquals(sent(jar, "http://a/"), "m=1; n=1")
    assertEquals(sent(jar, "http://a/", Now + 1000), "n=1")
    assertEquals(sent(jar, "http://a/", Now + 400L * 24 * 3600 * 1000), "null")
  }

  test("dates as servers write them") {
    val day = Some(784111777L)
    for (
      text <- List(
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 8:49:37 1994",
        "6 november 1994 08:49:37"
      )
    ) assertEquals(CookieDate.parse(text), day, text)
    for (
      text <- List(
        "",
        "06 Nov 1994",
        "06 Nov 08:49:37",
        "32 Nov 1994 08:49:37",
        "31 Feb 1994 08:49:37",
        "6 Nov 1994 24:49:37",
        "6 Nov 1500 08:49:37"
      )
    )
      assertEquals(CookieDate.parse(text), None, text)
  }

  test("what is malformed or too long is left out") {
    for (text <- List("", "k", "=v", ";k=v", "k=a\u0001b", "k=" + "v" * 4096))
      assertEquals(via("http://a/", text)("http://a/"), "null", text.take(10))
    assertEquals(via("http://a/x/", " k = v=w ; Path=/" + "p" * 2000)("http://a/x/"), "k=v=w")
    val jar = new CookieJar
    for (
      bad <- List(StoredCookie("k", "a\r\nb", "a"), StoredCookie("", "v", "a"), StoredCookie("k", "a;b", "a"))
    )
      intercept[IllegalArgumentException](jar.add(bad))
    jar.add(StoredCookie("k", "v", "a.example", isHostOnly = false))
    assertEquals(sent(jar, "http://b.a.example/"), "k=v")
    assert(!jar.cookies.head.toString.contains("v,"), "no value in logs")
  }

  test("a request has no more cookies than servers take: those for the longest paths, and the oldest") {
    val jar = new CookieJar
    set(jar, "http://a.example/", (1 to 40).map(n => s"k$n=${"v" * 4000}; Domain=a.example")*)
    set(jar, "http://a.example/", "small=1; Path=/x")
    val header = sent(jar, "http://a.example/x/y")
    assertEquals(header.split("; ").map(_.takeWhile(_ != '=')).toList, List("small", "k1", "k2"))
    assert(header.length <= 8192, header.length)
  }

  test("each domain has so many, and all together so many: the one that was used longest ago goes") {
    val jar = new CookieJar(maxPerDomain = 3, maxCookies = 5)
    set(jar, "http://a/", "a=1; Path=/a", "b=1; Path=/b", "c=1; Path=/c")
    assertEquals(sent(jar, "http://a/a"), "a=1")
    set(jar, "http://a/", "d=1", "b=2; Path=/b; Max-Age=0")
    assertEquals(jar.cookies.map(_.name), Seq("a", "c", "d"))
    set(jar, "http://b/", "e=1")
    set(jar, "http://c/", "f=1")
    set(jar, "http://d/", "g=1")
    assertEquals(jar.cookies.map(_.name), Seq("a", "d", "e", "f", "g"))
    jar.remove(_.domain == "a")
    assertEquals(jar.cookies.length, 3)
    jar.clear()
    assertEquals(jar.toString, "CookieJar(0 cookies)")
    intercept[IllegalArgumentException](new CookieJar(maxCookies = 0))
  }

  test("a plain response makes no room for a cookie that hides a secure one") {
    val jar = new CookieJar(maxPerDomain = 3, maxCookies = 4)
    set(jar, "https://a.example/", "session=good; Secure", "pref=1")
    set(jar, "http://a.example/", (1 to 9).map(n => s"k$n=1")*)
    set(jar, "http://b.example/", (1 to 9).map(n => s"k$n=1")*)
    set(jar, "http://a.example/", "session=evil")
    val sentThere = sent(jar, "https://a.example/").split("; ").toSet
    assert(sentThere("session=good") && !sentThere("session=evil"), sentThere)
    // where all are secure, none makes room: neither in its domain, nor for another one
    val full = new CookieJar(maxPerDomain = 2, maxCookies = 3)
    set(full, "https://a.example/", "k=1; Secure", "l=1; Secure")
    set(full, "https://b.example/", "m=1; Secure")
    val before = full.cookies
    for (host <- List("a", "b", "c"))
      set(full, s"http://$host.example/", "n=1", "k=2; Path=/x", "l=2; Max-Age=0")
    assertEquals(
      full.cookies.map(c => (c.name, c.value, c.domain)),
      before.map(c => (c.name, c.value, c.domain))
    )
  }

  test("no host sets a cookie for one whose name only ends alike, nor a __Host- cookie for a domain") {
    assertEquals(via("http://xshop.example/", "k=v; Domain=shop.example")("http://shop.example/"), "null")
    assertEquals(via("http://xshop.example/", "k=v; Domain=shop.example")("http://xshop.example/"), "null")
    val host = "__Host-k=v; Secure; Path=/"
    assertEquals(via("https://a.example/", host)("https://a.example/"), "__Host-k=v")
    assertEquals(via("https://a.example/", s"$host; Domain=a.example")("https://a.example/"), "null")
    assertEquals(via("https://a.example/", "__Host-k=v; Secure")("https://a.example/"), "null")
  }

  test("a cookie lasts 400 days at most") {
    val jar  = new CookieJar
    val last = Now + 400L * 24 * 3600 * 1000
    set(jar, "http://a/", "k=1; Max-Age=99999999", "l=1; Expires=Thu, 31 Dec 2099 23:59:59 GMT")
    assertEquals((sent(jar, "http://a/", last - 1), sent(jar, "http://a/", last)), ("k=1; l=1", "null"))
  }

  test("a domain has no more cookies than it may") {
    val jar = new CookieJar(maxPerDomain = 2)
    set(jar, "http://a/", "k=1", "l=1", "m=1")
    assertEquals(jar.cookies.map(_.name), Seq("l", "m"))
  }

  test("a cookie that isPublicSuffix throws for is refused, and no other") {
    val before = EventLoop.onFailure
    var told   = List.empty[String]
    EventLoop.onFailure = (text, e) => told ::= s"$text: ${e.getMessage}"
    try {
      val jar = new CookieJar(isPublicSuffix =
        name =>
          if (name == "b.example") throw new IllegalStateException("no list") else false
      )
      set(jar, "http://a.b.example/", "one=1; Domain=b.example", "two=2")
      set(jar, "http://a.c.example/", "three=3; Domain=c.example")
      assertEquals(sent(jar, "http://a.b.example/"), "two=2")
      assertEquals(sent(jar, "http://c.example/"), "three=3")
      assertEquals(
        told,
        List("a cookie of a.b.example is refused, as isPublicSuffix has thrown an exception: no list")
      )
    } finally EventLoop.onFailure = before
  }
}
