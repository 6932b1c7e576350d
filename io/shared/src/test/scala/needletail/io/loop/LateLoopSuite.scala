package needletail.io.loop

import scala.concurrent.duration.*

import needletail.io.{Connection, DelegatingPlatform, DelegatingPoller, EventLoops, LoopSuite}
import needletail.io.platform.Poller
import needletail.testing.Pause

/** A loop that has stood still finds what came in the meantime before it finds that it came too late. */
class LateLoopSuite extends LoopSuite {

  /** Its waits end without telling anything while it is blind: as they do when a signal interrupts. */
  private final class Blind extends DelegatingPlatform {
    @volatile var isBlind = false

    override def wrapped(poller: Poller): Poller = new DelegatingPoller(poller) {
      override def poll(timeoutMillis: Int): Unit =
        if (isBlind) Pause(1.milli) else super.poll(timeoutMillis)
    }
  }

  test("what came before a deadline is handed over before that is told, whatever a wait has told of it") {
    val platform = new Blind
    val loops    = new EventLoops(1, "late", daemon = true, platform = platform)
    try {
      val loop     = loops(0)
      val events   = new Events
      val served   = scala.concurrent.Promise[Connection]()
      val listener = listen(loop) { c =>
        served.success(c)
        new Recorder(events)
      }
      withClient(listener) { client =>
        val connection = scala.concurrent.Await.result(served.future, patience)
        on(loop) { connection.deadline = loop.nowNanos + 300.millis.toNanos }
        platform.isBlind = true
        send(client, "in time")
        events.expect("data in time", "deadline") // the same one: no other was set
        on(loop) { connection.deadline = loop.nowNanos + 1.millis.toNanos }
        events.expect("deadline")
      }
    } finally {
      platform.isBlind = false
      loops.stop()
      scala.concurrent.Await.result(loops.stopped, patience)
    }
  }
}
