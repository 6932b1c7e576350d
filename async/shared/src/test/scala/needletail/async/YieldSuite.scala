package needletail.async

import scala.collection.mutable
import scala.concurrent.duration._

import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** Fault 19: a turn of the loop, without any timer. */
class YieldSuite extends Suite {
  for (
    (name, yields) <- List[(String, () => Async[Unit])](
      "yieldNow"                  -> (() => Async.yieldNow),
      "a sleep of no time"        -> (() => Async.sleep(Duration.Zero)),
      "a sleep of less than that" -> (() => Async.sleep(-1.second))
    )
  ) {
    test(s"fault 19: $name lets go first what waits already, and no time pass") {
      val loop  = new ManualLoop
      val order = mutable.ListBuffer.empty[String]
      loop.within {
        loop.execute(() => order += "before")
        val yielded = yields()
        assert(!yielded.isCompleted)
        yielded.foreach(_ => order += "yielded")
        loop.execute(() => order += "after")
      }
      assertEquals(loop.pendingTimers, 0)
      loop.runAll()
      assertEquals(order.toList, List("before", "yielded", "after"))
      assertEquals(loop.nowNanos, 0L)
    }

    test(s"fault 19: $name can be cancelled") {
      val loop = new ManualLoop
      var ran  = false
      loop.within {
        val waiting = yields().map(_ => ran = true)
        waiting.cancel()
      }
      loop.runAll()
      assert(!ran)
    }
  }

  test("fault 19: a hundred thousand of them, one after another, need no stack and no time") {
    def rest(n: Int): Async[Int] = if (n == 0) Async.value(0) else Async.yieldNow.flatMap(_ => rest(n - 1))
    val loop                     = new ManualLoop
    assertEquals(loop.run(rest(100000)).get, 0)
    assertEquals(loop.nowNanos, 0L)
  }
}
