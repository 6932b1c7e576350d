package needletail.stream

import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** For the JVM, as natively a stack that is used up ends the program. */
class StackOverflowSuite extends Suite {
  private val million                                    = 1000000
  private def filtered(source: Stream[Int]): Stream[Int] =
    (1 to million).foldLeft(source)((s, _) => s.filter(_ => true))

  test("more operators than the stack has room for are a failure, and their source is cancelled") {
    for (read <- List[Stream[Int] => needletail.async.Async[Any]](_.drain(), _.next())) {
      val probe = new Probe(Seq(1))
      val error = new ManualLoop().run(read(filtered(probe))).failed.get
      assert(error.isInstanceOf[StackOverflowError], error)
      assertEquals(probe.cancelled, 1)
    }
  }

  test("so are nested flatMaps") {
    val probe = new Probe(Seq(1))
    val deep  = (1 to million).foldLeft(probe: Stream[Int])((s, _) => s.flatMap(x => Stream(x)))
    assert(new ManualLoop().run(deep.drain()).failed.get.isInstanceOf[StackOverflowError])
    assertEquals(probe.cancelled, 1)
  }
}
