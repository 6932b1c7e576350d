package needletail.async

import needletail.testing.Suite
import needletail.testkit.ManualLoop

class SignalSuite extends Suite {

  test("all observers are called, later ones at once") {
    val loop   = new ManualLoop
    var told   = List.empty[Int]
    val signal = new Signal
    loop.within {
      signal.onComplete(_ => told ::= 1)
      signal.map(_ => told ::= 2)
      signal.happen()
      signal.happen()
    }
    assertEquals(told.sorted, List(1, 2))
    assert(signal.isCompleted)
  }

  test("an observer that withdraws completes nothing for the others, and nothing of it is kept") {
    val loop   = new ManualLoop
    val signal = new Signal
    loop.within {
      signal.cancel()
      signal.map(_ => 1).cancel()
      signal.race(Async.value(()))
      signal.map(_ => 2).race(new AsyncPromise[Int]).cancel()
      signal.shield.cancel()
    }
    assert(!signal.isCompleted)
    assert(!signal.isObserved)
    val last = signal.map(_ => 3)
    assert(signal.isObserved)
    loop.within(signal.happen())
    assertEquals(last.poll.map(_.get), Some(3))
  }
}
