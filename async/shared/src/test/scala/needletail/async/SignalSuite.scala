package needletail.async

import needletail.testing.Suite

class SignalSuite extends Suite {

  test("all who wait are told, and who comes later is told at once") {
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

  test("whoever loses interest, nobody else is told that it has happened, and nothing of them is kept") {
    val loop   = new ManualLoop
    val signal = new Signal
    loop.within {
      signal.cancel()
      signal.map(_ => 1).cancel()
      signal.race(Async.value(()))
      signal.map(_ => 2).race(new Promise[Int]).cancel()
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
