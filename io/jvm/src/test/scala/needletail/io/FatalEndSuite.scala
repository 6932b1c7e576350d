package needletail.io

import scala.concurrent.Await

import needletail.io.platform.Poller

/** Loops whose memory has run out when they end. */
class FatalEndSuite extends LoopSuite {

  /** Its pollers fail to close. */
  private final class Exhausted extends DelegatingPlatform {
    def wrapped(poller: Poller): Poller = new DelegatingPoller(poller) {
      override def close(): Unit = {
        super.close()
        throw new OutOfMemoryError("for a test")
      }
    }
  }

  test("who waits for the end of the loops learns of it, though they fail to release what they have") {
    val loops = new EventLoops(2, "exhausted", daemon = true, platform = new Exhausted)
    loops.stop()
    Await.result(loops.stopped, patience)
  }
}
