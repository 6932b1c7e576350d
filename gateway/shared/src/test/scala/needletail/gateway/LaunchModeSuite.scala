package needletail.gateway

import needletail.io.Address
import needletail.testing.Suite

/** What a program takes itself for. */
class LaunchModeSuite extends Suite {
  private val address = Address.Tcp("127.0.0.1", 8080)

  test("a request's method alone makes no CGI program, and it says what is served instead") {
    assertEquals(
      LaunchMode.doubt(Map("REQUEST_METHOD" -> "GET").getOrElse(_, null), "HTTP", address),
      Some(
        "REQUEST_METHOD is set, but GATEWAY_INTERFACE is not CGI/1.1: this is not treated as a CGI request, " +
          "and HTTP is served on 127.0.0.1:8080"
      )
    )
    assertEquals(LaunchMode.doubt(_ => null, "HTTP", address), None)
  }
}
