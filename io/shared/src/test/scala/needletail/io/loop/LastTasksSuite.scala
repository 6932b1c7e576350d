package needletail.io.loop

import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.io.EventLoops
import needletail.testing.Suite

/** Tasks that were queued as a loop ended are run by its end. */
class LastTasksSuite extends Suite {

  test("a callback that throws then is reported, and the others are called all the same") {
    val reported = new ConcurrentLinkedQueue[String]
    val called   = new ConcurrentLinkedQueue[Int]
    val loops    =
      new EventLoops(1, "last", daemon = true, onFailure = (_, e) => { reported.add(e.getMessage); () })
    val loop = loops(0)
    loop.execute { () =>
      for (n <- 1 to 3) loop.drainBegins.foreach { _ =>
        called.add(n)
        throw new IllegalStateException(s"the callback $n")
      }
      loops.stop()
      loop.execute(() => loop.beginDrain())
      loop.execute { () => called.add(4); () }
    }
    Await.result(loops.stopped, 20.seconds)
    assertEquals(called.toArray.toList, List[Any](1, 2, 3, 4))
    assertEquals(reported.toArray.toList, List[Any]("the callback 1", "the callback 2", "the callback 3"))
  }
}
