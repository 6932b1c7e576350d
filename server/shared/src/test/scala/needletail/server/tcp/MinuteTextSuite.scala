package needletail.server.tcp

import needletail.testing.Suite

class MinuteTextSuite extends Suite {
  test("times to the minute, in UTC") {
    for (
      (seconds, text) <- Seq(
        0L            -> "1970-01-01T00:00Z",
        1795757499L   -> "2026-11-27T05:31Z",
        951782399L    -> "2000-02-28T23:59Z",
        951782400L    -> "2000-02-29T00:00Z",
        4107542399L   -> "2100-02-28T23:59Z",
        4107542400L   -> "2100-03-01T00:00Z",
        -1L           -> "1969-12-31T23:59Z",
        253402300799L -> "9999-12-31T23:59Z"
      )
    ) assertEquals(MinuteText.of(seconds * 1000), text)
  }
}
