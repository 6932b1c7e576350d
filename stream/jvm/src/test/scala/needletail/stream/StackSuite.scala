package needletail.stream

import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** For the JVM, as natively a stack that is used up ends the program. */
class StackSuite extends Suite {

  test("more operators than the stack has room for are a failure, not a crash") {
    val probe = new Probe(Seq(1))
    val deep  = (1 to 1000000).foldLeft(probe: Stream[Int])((s, _) => s.map(_ + 1))
    assert(new ManualLoop().run(deep.drain()).failed.get.isInstanceOf[StackOverflowError])
  }

  test("the same for who reads by next") {
    val probe = new Probe(Seq(1))
    val deep  = (1 to 1000000).foldLeft(probe: Stream[Int])((s, _) => s.map(_ + 1))
    assert(new ManualLoop().run(deep.next()).failed.get.isInstanceOf[StackOverflowError])
  }
}
