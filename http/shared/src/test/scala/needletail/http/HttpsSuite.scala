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

  test("strict transport security is for responses over TLS") {
    val plain    = to("a")
    val response = Response.ok("x")
    val name     = "Strict-Transport-Security"
    assertEquals(Https.strict(1.day)(plain, response).headers.get(name), None)
    val all = Https.strict(365.days, includeSubDomains = true, preload = true, always = true)
    assertEquals(all(plain, response).headers.get(name), Some("max-age=31536000; includeSubDomains; preload"))
  }
}
