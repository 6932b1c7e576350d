package needletail.async

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.duration._

import needletail.testing.Suite

/** What suites need that run a loop on a thread of its own. */
abstract class ThreadLoopSuite extends Suite {
  protected final val bound: FiniteDuration = 20.seconds

  /** Waits outside of `assert`, which some test frontends run one at a time. */
  protected final def arrives(latch: CountDownLatch): Unit = {
    val arrived = latch.await(bound.toSeconds, TimeUnit.SECONDS)
    assert(arrived, s"not within $bound")
  }

  protected final def onLoop[A](body: ThreadLoop => A): A = {
    val loop = new ThreadLoop
    try body(loop)
    finally loop.close()
  }
}
