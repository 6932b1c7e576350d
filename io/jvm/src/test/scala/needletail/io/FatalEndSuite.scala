package needletail.io

import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Await

import needletail.io.platform.Poller

/** Loops whose memory has run out when they end. */
class FatalEndSuite extends LoopSuite {

  /** Its pollers fail to close. */
  private final class Exhausted extends DelegatingPlatform {
    override def wrapped(poller: Poller): Poller = new DelegatingPoller(poller) {
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

  test(
    "who is told of a loop's end, and has no memory to act on it, is told again when the loop has given back its own"
  ) {
    val told              = new AtomicInteger
    var loops: EventLoops = null
    loops = new EventLoops(
      2,
      "lost",
      daemon = true,
      onFailure = (_, _) => (),
      onFailed = name => {
        assertEquals(name, "lost-1")
        if (told.incrementAndGet() == 1) throw new OutOfMemoryError("for a test")
        loops.stop()
      }
    )
    loops(1).execute(() => throw new OutOfMemoryError("for a test"))
    Await.result(loops.stopped, patience)
    assertEquals(told.get, 2)
  }
}
