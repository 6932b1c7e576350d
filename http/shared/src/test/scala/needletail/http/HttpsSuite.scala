package needletail.http

import scala.concurrent.duration._

import needletail.http.message.{Headers, Method}

import needletail.testing.Suite

class HttpsSuite extends Suite {
  private def location(handler: Handler, request: Request): String = handler(request) match {
    case response: Response =>
      assertEquals(response.status.code, 308)
      response.headers.get("Location").getOrElse("")
    case other => fail(s"not a response: $other")
  }
  private def to(host: String): Request = Request(Method.GET, "/a%20b?c=d", Headers("Host" -> host))

  test("every request is redirected to the same URL with https") {
    assertEquals(location(Https.redirect(), to("shop.example:8080")), "https://shop.example/a%20b?c=d")
    assertEquals(location(Https.redirect(8443), to("[::1]:80")), "https://[::1]:8443/a%20b?c=d")
    assertEquals(
      location(Https.redirect(host = Some("www.example")), to("x")),
      "https://www.example/a%20b?c=d"
    )
  }

  test("requests are redirected only for the hosts that are named, in any case and with any port") {
    val some = Https.redirect(hosts = Seq("Shop.example", "[::1]"))
    def code(host: String, handler: Handler = some): Int = handler(to(host)) match {
      case response: Response =>
        assertEquals(response.headers.get("Location"), None)
        response.status.code
      case other => fail(s"not a response: $other")
    }
    for (host <- Seq("shop.example", "shop.Example:8080", "[::1]", "[::1]:80"))
      assertEquals(location(some, to(host)), s"https://${host.replaceFirst(":80(80)?$", "")}/a%20b?c=d")
    for (host <- Seq("evil.example", "shop.example.evil", "a.shop.example", "127.0.0.1"))
      assertEquals(code(host), 421, host)
    assertEquals(code(""), 400)
    assertEquals(code("", Https.redirect(host = Some("shop.example"), hosts = Seq("shop.example"))), 400)
  }

  test("a name of a host with a port, which no request would be for, is an error") {
    for (host <- Seq("shop.example:80", "[::1]:80", ""))
      interceptMessage[IllegalArgumentException](
        s"Https.hosts is $host, but must be a host, without a port"
      )(Https.only(hosts = Seq(host)))
  }

  test("strict transport security is for responses over TLS") {
    val plain    = to("a")
    val response = Response.ok("x")
    val name     = "Strict-Transport-Security"
    assertEquals(Https.strict(1.day)(plain, response).headers.get(name), None)
    val all = Https.strict(365.days, includeSubDomains = true, preload = true, always = true)
    assertEquals(all(plain, response).headers.get(name), Some("max-age=31536000; includeSubDomains; preload"))
  }
}
