package needletail.io

import scala.concurrent.{Future, Promise}

import scala.scalanative.posix.signal.{kill, SIGHUP, SIGTERM}
import scala.scalanative.libc.signal.{raise, SIGINT}
import scala.scalanative.posix.unistd.getpid

class SignalsSuite extends LoopSuite {

  /** Whether a signal is in one of the sets of this process, such as `SigCgt` for those that are caught. */
  private def isIn(set: String, signal: Int): Boolean = {
    val status = new java.io.BufferedReader(new java.io.FileReader("/proc/self/status"))
    val line   =
      try Iterator.continually(status.readLine()).find(_.startsWith(set)).get
      finally status.close()
    (java.lang.Long.parseLong(line.drop(7).trim, 16) >> (signal - 1) & 1) == 1
  }
  private def isCaught = (isIn("SigCgt", SIGTERM), isIn("SigCgt", SIGINT))

  // the first, as the process keeps what the others pass to `onTerminate`
  test("once nobody waits, SIGTERM and SIGINT end the process again") {
    val before = isCaught
    val ended  = scala.concurrent.Future.unit
    val waits  = List.fill(2)(Signals.awaiting(ended)(() => ()))
    assertEquals(isCaught, (true, true))
    waits.head.cancel()
    assertEquals(isCaught, (true, true))
    waits.last.cancel()
    assertEquals(isCaught, before)
    val again = Signals.awaiting(ended)(() => ())
    assertEquals(isCaught, (true, true))
    again()
    assertEquals(isCaught, before)
  }

  test("so does SIGHUP") {
    assume(!isIn("SigIgn", SIGHUP), "SIGHUP is ignored, as by nohup")
    def begun() = Signals.awaiting(scala.concurrent.Future.unit, hangUp = () => false)(() => ())
    for (end <- Seq[SignalWait => Unit](_.cancel(), _.apply())) {
      val wait = begun()
      assertEquals(isIn("SigCgt", SIGHUP), true)
      end(wait)
      assertEquals(isIn("SigCgt", SIGHUP), false)
    }
  }

  test("SIGHUP that has ended nothing, or came when all had ended, leaves the next one to the system") {
    assume(!isIn("SigIgn", SIGHUP), "SIGHUP is ignored, as by nohup")
    val events                     = new Events
    def waiting(end: Future[Unit]) =
      Signals.awaiting(end, hangUp = () => { events.add("hung up"); false })(() => ())
    val end    = Promise[Unit]()
    val wait   = waiting(end.future)
    val thread = new Thread(() => { wait(); events.add("over") })
    thread.start()
    assertEquals(raise(SIGHUP), 0)
    events.expect("hung up")
    end.success(())
    events.expect("over")
    assertEquals(isIn("SigCgt", SIGHUP), false)
    val late = waiting(Future.unit)
    assertEquals(raise(SIGHUP), 0)
    late() // without ending this program
    assertEquals(isIn("SigCgt", SIGHUP), false)
  }

  test("a signal that comes just as one has ended is for the others that wait") {
    val events = new Events
    val end    = Promise[Unit]()
    val ended  = Signals.awaiting(Future.unit)(() => events.add("nobody's"))
    val wait   = Signals.awaiting(end.future)(() => events.add("told"))
    assertEquals(raise(SIGTERM), 0)
    ended()
    val thread = new Thread(() => { wait(); events.add("over") })
    thread.start()
    events.expect("told")
    end.success(())
    events.expect("over")
  }

  test("signals are noticed by whoever waits, also when those that waited before have gone") {
    val events  = new Events
    val stopped = List.fill(3)(Promise[Unit]())
    val waits   = stopped.zipWithIndex.map { case (end, i) =>
      Signals.awaiting(end.future)(() => events.add(s"action $i"))
    }
    def waiting(i: Int) = {
      val thread = new Thread(() => { waits(i)(); events.add(s"$i is over") })
      thread.setDaemon(true)
      thread.start()
    }
    def signal(): Unit = {
      eventually(Signals.isHeard) // before, one ends the program
      assertEquals(kill(getpid(), SIGTERM), 0)
      events.expect("action 2")
    }
    waiting(0)
    signal()
    stopped(0).success(())
    events.expect("0 is over")
    waiting(1)
    waiting(2)
    signal()
    stopped(1).success(())
    events.expect("1 is over")
    signal()
    stopped(2).success(())
    events.expect("2 is over")
  }

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
    assert(isIn("SigIgn", SignalsSuite.FileSize))
  }
}

object SignalsSuite {
  private final val FileSize = 25 // SIGXFSZ on Linux
}
