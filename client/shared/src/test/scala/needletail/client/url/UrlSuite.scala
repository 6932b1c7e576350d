package needletail.client.url

import needletail.io.{Address, Tls}
import needletail.testing.Suite

class UrlSuite extends Suite {

  private def read(text: String): Url = Url.parse(text).fold(why => fail(s"$text: $why"), identity)

  test("host, port and target") {
    val url = read("http://Example.com:8080/a/b?c=d%20e#f")
    assertEquals(
      url.origin,
      Origin("http://example.com:8080", "example.com:8080", Address.Tcp("example.com", 8080))
    )
    assertEquals(url.target, "/a/b?c=d%20e")
    assertEquals(read("HTTP://a").toString, "http://a/")
    assertEquals(read("http://a:80/x").origin, read("http://A/y").origin)
    assertEquals(read("http://a?q").target, "/?q")
    assertEquals(read("http://[::1]:81/").origin.address, Address.Tcp("::1", 81): Address)
    assertEquals(read("http://[::1]/").origin.authority, "[::1]")
  }

  test("Unix sockets stand percent-encoded in the place of the host") {
    val url = read("http+unix://%2Frun%2Fapp.sock/a?b")
    assertEquals(url.origin, Origin("unix:/run/app.sock", "localhost", Address.Unix("/run/app.sock")))
    assertEquals(url.target, "/a?b")
  }

  test(
    "a dot at the end of a host is in Host, and neither in the name that TLS asks for nor in the one that it checks"
  ) {
    val origin = read("http://Shop.example.:8080/").origin
    assertEquals(origin.authority, "shop.example.:8080")
    assertEquals(origin.address, Address.Tcp("shop.example.", 8080): Address)
    if (Tls.isKnown) {
      val secure = read("https://shop.example./").origin
      assertEquals((secure.authority, secure.peer(Tls.system).name), ("shop.example.", "shop.example"))
    }
  }

  test("https, where TLS is known") {
    if (Tls.isKnown) {
      val url = read("HTTPS://Example.com/a")
      assertEquals(
        url.origin,
        Origin("https://example.com", "example.com", Address.Tcp("example.com", 443), isSecure = true)
      )
      assertEquals(read("https://a:443/").origin, url.origin.copy("https://a", "a", Address.Tcp("a", 443)))
      assertEquals(read("https://a:80/").origin.authority, "a:80")
      assertEquals(url.origin.peer(Tls.system).name, "example.com")
      assertEquals(read("http://a:443/").origin.peer(Tls.system), null)
      def to(base: String, reference: String) = read(base).resolve(reference).fold(why => why, _.toString)
      assertEquals(to("https://a/b", "//x/y"), "https://x/y")
      assertEquals(to("https://a/b", "/y"), "https://a/y")
      assertEquals(to("http://a/b", "https://a/y"), "https://a/y")
      assertEquals(to("https://a/b", "http://a/y"), "http://a/y")
    } else assertEquals(Url.parse("https://a/").left.toOption, Some("https is supported on the JVM only"))
  }

  test("what is refused: nothing that could split a request or send it elsewhere gets through") {
    val refused = List(
      "",
      "/path",
      "ftp://a/",
      "http://",
      "http:///x",
      "http://user:secret@a/",
      "http://a b/",
      "http://a:x/",
      "http://a:0/",
      "http://a:65536/",
      "http://[::1/",
      "http://a/ b",
      "http://a/\r\nX: y",
      "http://a/ü",
      "http://ä/",
      "http+unix://run.sock/",
      "http://a\r\nHost: b/"
    )
    for (text <- refused) assert(Url.parse(text).isLeft, text)
    for (port <- Seq("0", "65536", "99999", "99999999999"); host <- Seq("a", "[::1]"))
      assertEquals(
        Url.parse(s"http://$host:$port/").left.map(_.toString),
        Left(s"a URL's port must be 1 to 65535, not $port")
      )
    for (port <- Seq("1", "65535", "0080")) assert(Url.parse(s"http://[::1]:$port/").isRight, port)
  }

  test("references in Location (RFC 3986 §5.2)") {
    val base                  = read("http://a:81/b/c?d")
    def to(reference: String) = base.resolve(reference).fold(why => why, _.toString)
    assertEquals(to("http://x/y"), "http://x/y")
    assertEquals(to("//x/y"), "http://x/y")
    assertEquals(to("/y?z"), "http://a:81/y?z")
    assertEquals(to("y"), "http://a:81/b/y")
    assertEquals(to("?e"), "http://a:81/b/c?e")
    assertEquals(to("#f"), "http://a:81/b/c?d")
    assertEquals(to("./y:z"), "http://a:81/b/y:z")
    assertEquals(to("."), "http://a:81/b/")
    assertEquals(to(".."), "http://a:81/")
    assertEquals(to("../y"), "http://a:81/y")
    assertEquals(to("../../../y"), "http://a:81/y")
    assertEquals(to("y/../z/?../k/./l"), "http://a:81/b/z/?../k/./l")
    assertEquals(to("/x/./y/../.z/..w"), "http://a:81/x/.z/..w")
    assertEquals(to("/x/.."), "http://a:81/")
    assertEquals(to("/x//../y/."), "http://a:81/x/y/")
    assertEquals(to("/../x?.."), "http://a:81/x?..")
    assertEquals(to("http://x/../y/./z?/../w"), "http://x/y/z?/../w")
    assertEquals(to("//x/a/../b"), "http://x/b")
    // dots may be encoded (§6.2.2.2)
    assertEquals(to("/a/%2e%2E/b"), "http://a:81/b")
    assertEquals(to("/a/.%2e/b"), "http://a:81/b")
    assertEquals(to("/a/%2E/b/%2e."), "http://a:81/a/")
    assertEquals(to("%2e%2e/y"), "http://a:81/y")
    assertEquals(to("http://x/a/%2e%2e"), "http://x/")
    assertEquals(to("/a/%2e%2e%2e/%2ex/b?/%2e%2e/c"), "http://a:81/a/%2e%2e%2e/%2ex/b?/%2e%2e/c")
    assert(base.resolve("mailto:x@y").isLeft)
    assert(base.resolve("/y\r\nX: z").isLeft)
  }
}
