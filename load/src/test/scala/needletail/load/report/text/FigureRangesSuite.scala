package needletail.load.report.text

import needletail.testing.Suite

class FigureRangesSuite extends Suite {
  test("texts that differ in their figures are told once, with the range of each figure") {
    val full = Vector(93.5 -> 0, 100.0 -> 20, 95.0 -> 7).map { case (all, server) =>
      s"machine full: ${if (all == 100) "100" else all.toString} % busy, $server % with the server and 1,200 requests at p99"
    }
    val other = "collector pauses: 12 ms"
    assertEquals(
      FigureRanges.of(Vector(10 -> full(0), 10 -> other, 25 -> full(1), 50 -> full(2))),
      Vector(
        (
          Vector(10, 25, 50),
          "machine full: 93.5 to 100 % busy, 0 to 20 % with the server and 1,200 requests at p99"
        ),
        (Vector(10), other)
      )
    )
  }

  test("thousands are compared as numbers, and texts without any figure are the same") {
    assertEquals(
      FigureRanges.of(Vector(1 -> "900 of them", 2 -> "1,100 of them", 3 -> "none", 4 -> "none")),
      Vector((Vector(1, 2), "900 to 1,100 of them"), (Vector(3, 4), "none"))
    )
  }

  test("figures in different units, or of different percentiles, are not of one range") {
    val texts = Vector(1 -> "p50 is late: 2 ms", 2 -> "p99 is late: 3 ms", 3 -> "p99 is late: 1 s")
    assertEquals(FigureRanges.of(texts), texts.map { case (key, text) => (Vector(key), text) })
  }
}
