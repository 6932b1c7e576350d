package needletail.examples.demo

import needletail.testing.Suite

class MetricSumsSuite extends Suite {
  private val readings = new MetricSums("""# HELP a_total What a is.
                                        |# TYPE a_total counter
                                        |a_total{route="/"} 3
                                        |a_total{route="/search",reason="x y"} 4.5
                                        |a_total{route="/live/events"} 100
                                        |a_total_more 7
                                        |b 2
                                        |""".stripMargin)

  test("sums all samples of a name, but those of the page itself") {
    assertEquals(readings.sum("a_total"), 7.5)
    assertEquals(readings.sum("b"), 2.0)
  }

  test("what is not there is zero") {
    assertEquals(readings.sum("a"), 0.0)
    assertEquals(readings.sum("c"), 0.0)
  }
}
