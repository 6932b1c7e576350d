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

  test(
    "SIGXFSZ is ignored, so that a write beyond the limit of a file's size fails and does not end the program"
  ) {
    val status = new java.io.BufferedReader(new java.io.FileReader("/proc/self/status"))
    val line   =
      try Iterator.continually(status.readLine()).find(_.startsWith("SigIgn:")).get
      finally status.close()
    val ignored = line.drop(7).trim
    assert((java.lang.Long.parseLong(ignored, 16) >> (SignalsSuite.FileSize - 1) & 1) == 1, ignored)
  }
}

object SignalsSuite {
  private final val FileSize = 25 // SIGXFSZ on Linux
}
