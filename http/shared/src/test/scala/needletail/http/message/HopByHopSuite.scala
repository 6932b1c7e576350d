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
}
