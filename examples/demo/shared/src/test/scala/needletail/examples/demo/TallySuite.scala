package needletail.examples.demo

import needletail.testing.Suite

class TallySuite extends Suite {
  private def of(millis: Int*): Tally = {
    val tally = new Tally
    millis.foreach(ms => tally.succeeded(ms * 1000000L))
    tally
  }

  test("percentiles are times that were met with: of a hundred the 50th, the 90th and the 99th") {
    assertEquals(of((1 to 100)*).percentiles(0.5, 0.9, 0.99), Seq(50.0, 90.0, 99.0))
    assertEquals(of(7).percentiles(0.5, 0.99), Seq(7.0, 7.0))
  }

  test("without a good answer there is none") {
    val tally = new Tally
    tally.failedWith("503 no")
    assert(tally.percentiles(0.5).head.isNaN)
    assertEquals((tally.good, tally.failed, tally.failure), (0, 1, "503 no"))
  }

  test("sums have the times of both, and the last failure") {
    val sum = of((1 to 50)*)
    sum.failedWith("first")
    val other = of((51 to 100)*)
    sum.add(other)
    assertEquals((sum.good, sum.failed, sum.failure, sum.percentiles(0.9)), (100, 1, "first", Seq(90.0)))
    other.failedWith("second")
    sum.add(other)
    assertEquals((sum.good, sum.failed, sum.failure), (150, 2, "second"))
  }
}
