package needletail.async

import scala.concurrent.duration._

import needletail.testing.{Allocation, Suite}

/** What a value costs in memory: a bound for each step, in bytes, so that a fatter node does not slip in. */
class AllocationSuite extends Suite {
  override def munitTimeout: Duration = 2.minutes // longer than `Allocation.each` tries

  private val rounds = 20000
  private val same   = (n: Integer) => n
  private val number = Integer.valueOf(1)
  private val value  = Async.value(number)
  private val next   = (_: Integer) => value

  /** Where results go, so that the compiler cannot leave the allocation out. */
  @volatile var sink: AnyRef = null

  private def atMost(name: String, bound: Long)(body: () => AnyRef): Unit =
    test(name) {
      val bytes = Allocation.each(rounds, bound + 0.5) {
        var left = rounds
        while (left > 0) {
          sink = body()
          left -= 1
        }
      }
      assert(bytes <= bound + 0.5, s"$bytes bytes, not $bound")
    }

  atMost("a complete value is one small object", 16)(() => Async.value(number))
  atMost("map on it makes one more", 16)(() => value.map(same))
  atMost("flatMap on it makes none", 0)(() => value.flatMap(next))
  atMost("looking into it makes none", 0)(() => value.resultOrNull)
  atMost("a promise, completed", 40 + 16) { () =>
    val promise = new AsyncPromise[Integer]
    promise.succeed(number)
    promise
  }
  atMost("a promise and a map that waits for it", 40 + 16 + 40 + 16) { () =>
    val promise = new AsyncPromise[Integer]
    val mapped  = promise.map(same)
    promise.succeed(number)
    mapped
  }
  atMost("a promise and a flatMap that waits for it", 40 + 16 + 40) { () =>
    val promise = new AsyncPromise[Integer]
    val mapped  = promise.flatMap(next)
    promise.succeed(number)
    mapped
  }
}
