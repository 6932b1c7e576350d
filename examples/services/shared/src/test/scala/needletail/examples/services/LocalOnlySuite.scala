package needletail.examples.services

import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

class LocalOnlySuite extends Suite {
  private val guarded = new LocalOnly(PUT / "switch" to (_ => "switched".ok), pages = Set(8080))

  private def put(headers: (String, String)*): TestReply =
    TestReply(guarded, Request(Method.PUT, "/switch", Headers(headers*)))

  test("a request that is not from a page is served, under any name of this machine") {
    for (host <- List("localhost:8083", "127.0.0.1:8083", "[::1]:8083", "LOCALHOST"))
      assertEquals(put("Host" -> host).text, "switched", host)
  }

  test("another name that leads here is refused") {
    for (host <- List("rebound.example:8083", "127.0.0.1.example", "localhost.example:8083", ""))
      assertEquals(put("Host" -> host).status.code, 403, host)
  }

  test("the page may ask and is told so; pages of other sites may not") {
    val ours = put("Host" -> "127.0.0.1:8083", "Origin" -> "http://localhost:8080")
    assertEquals(
      (ours.status.code, ours.header("Access-Control-Allow-Origin")),
      (200, Some("http://localhost:8080"))
    )
    for (
      origin <-
        List("http://evil.example", "http://localhost:8081", "null", "http://localhost:8080.evil.example")
    )
      assertEquals(put("Host" -> "127.0.0.1:8083", "Origin" -> origin).status.code, 403, origin)
  }

  test("a browser that asks beforehand is answered, the handler not asked") {
    val before = TestReply(
      guarded,
      Request(
        Method.OPTIONS,
        "/switch",
        Headers("Host" -> "127.0.0.1:8083", "Origin" -> "http://127.0.0.1:8080")
      )
    )
    assertEquals((before.status.code, before.header("Access-Control-Allow-Methods")), (204, Some("GET, PUT")))
  }
}
