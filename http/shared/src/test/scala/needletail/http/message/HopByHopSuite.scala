package needletail.http.message

import needletail.testing.Suite

class HopByHopSuite extends Suite {
  test(
    "what concerns the connection, is named by it, or is not wanted is left out; the rest stays in order"
  ) {
    val headers = Headers(
      "Accept"            -> "a",
      "Connection"        -> "Keep-Alive, X-Own",
      "KEEP-ALIVE"        -> "5",
      "x-own"             -> "1",
      "Transfer-Encoding" -> "chunked",
      "Date"              -> "now",
      "Via"               -> "b",
      "Accept"            -> "c"
    )
    assertEquals(HopByHop.without(headers, Set("date")), List("Accept" -> "a", "Via" -> "b", "Accept" -> "c"))
    assertEquals(HopByHop.without(Headers("Date" -> "now"), Set.empty), List("Date" -> "now"))
  }

  test("every field of RFC 9110 §7.6.1 is left out, and every one that Connection names, in any case") {
    for (
      name <-
        Seq("Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Upgrade")
    )
      assertEquals(
        HopByHop.without(Headers(name -> "x", "Accept" -> "a"), Set.empty),
        List("Accept" -> "a"),
        name
      )
    val two =
      Headers("connection" -> "close, x-A", "CONNECTION" -> "X-b", "X-a" -> "1", "x-B" -> "2", "x-c" -> "3")
    assertEquals(HopByHop.without(two, Set.empty), List("x-c" -> "3"))
  }
}
