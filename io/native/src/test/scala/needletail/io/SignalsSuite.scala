package needletail.io

import scala.scalanative.posix.signal.{kill, SIGTERM}
import scala.scalanative.libc.signal.SIGINT
import scala.scalanative.posix.unistd.getpid

class SignalsSuite extends LoopSuite {

  test("SIGTERM and SIGINT call the action and do not end the process by themselves") {
    val events = new Events
    Signals.onTerminate(() => events.add("first"))
    Signals.onTerminate(() => events.add("second"))
    for (signal <- List(SIGTERM, SIGINT, SIGTERM)) {
      assertEquals(kill(getpid(), signal), 0)
      events.expect("second")
    }
  }
}
