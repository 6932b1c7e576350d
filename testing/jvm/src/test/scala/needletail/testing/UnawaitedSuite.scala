package needletail.testing

import scala.concurrent.Await
import scala.concurrent.duration.{Duration, DurationInt}

class UnawaitedSuite extends Suite {
  private class Inner extends Suite {
    test("returns a value that is not awaited")(new needletail.async.Later)
    test("hangs") {
      synchronized(wait(10000))
    }
    override def munitTimeout: Duration = 100.millis
  }

  test("a test that returns a value which is not awaited has failed, as has one that hangs") {
    val outcomes = new Inner().munitTests().map { test =>
      Await.ready(test.body(), 5.seconds).value.get.failed.get.getMessage
    }
    assert(outcomes.head.contains("which is not awaited"), outcomes)
    assert(outcomes(1).contains("not over after 100 milliseconds"), outcomes)
  }
}
