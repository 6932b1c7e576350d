package needletail.io

import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{Future, Promise}

import scala.scalanative.libc.signal.{raise, signal => handle, SIGINT, SIG_DFL, SIG_IGN}
import scala.scalanative.posix.signal.{kill, SIGHUP, SIGTERM}
import scala.scalanative.posix.unistd.getpid
import scala.scalanative.unsafe.{CFuncPtr1, CInt}

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

  // a shell's script may have started this program with SIGINT ignored
  override def beforeAll(): Unit = { val _ = handle(SIGINT, SIG_DFL) }

  /** Has signals do what they do while nothing of this program catches them; not possible after `onTerminate`. */
  private def release(): Unit = Signals.awaiting(Future.unit, hangUp = () => false)(() => ()).cancel()

  /** Notes what would end this program, instead. */
  private def noting(signals: Int*)(body: => Unit): Unit = {
    release()
    signals.foreach(handle(_, CFuncPtr1.fromScalaFunction((number: CInt) => SignalsSuite.taken(number))))
    try body
    finally {
      release()
      signals.foreach(handle(_, SIG_DFL))
    }
  }
  private def ended(): Int = SignalsSuite.ended.getAndSet(0)

  private def onThread(wait: SignalWait)(over: => Unit): Unit = {
    val thread = new Thread(() => { wait(); over })
    thread.setDaemon(true)
    thread.start()
  }

  // the first ones, as the process keeps what the last ones pass to `onTerminate`
  test("once nobody waits, SIGTERM and SIGINT end the process again") {
    release()
    val before = isCaught // an exit hook of another suite may last for the process
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

  test("a signal that nobody was told of ends the process as that signal, not as another one") {
    noting(SIGINT) {
      val wait = Signals.awaiting(Future.unit)(() => ())
      assertEquals(raise(SIGINT), 0)
      assertEquals(ended(), 0)
      wait.cancel()
      assertEquals(ended(), SIGINT)
    }
  }

  for (isEarly <- Seq(true, false))
    test(
      if (isEarly) "so does one that others were told of, too, where what it was to end gives up last"
      else "but not where that gives up last which began after it"
    ) {
      noting(SIGINT) {
        val events = new Events
        val end    = Promise[Unit]()
        val early  = Signals.awaiting(Future.unit)(() => ())
        onThread(Signals.awaiting(end.future)(() => events.add("told")))(events.add("over"))
        eventually(Signals.isHeard)
        assertEquals(raise(SIGINT), 0)
        events.expect("told")
        val late = Signals.awaiting(Future.unit)(() => ())
        end.success(())
        events.expect("over")
        val (first, last) = if (isEarly) (late, early) else (early, late)
        first.cancel()
        assertEquals(ended(), 0)
        last.cancel()
        assertEquals(ended(), if (isEarly) SIGINT else 0)
      }
    }

  test("a signal that is ignored stays so, as SIGINT in the background of a shell's script") {
    release()
    handle(SIGINT, SIG_IGN)
    val before = isCaught
    try {
      val wait = Signals.awaiting(Future.unit)(() => ())
      assertEquals((isCaught, isIn("SigIgn", SIGINT)), ((true, false), true))
      wait.cancel()
      assertEquals((isCaught, isIn("SigIgn", SIGINT)), (before, true))
    } finally { val _ = handle(SIGINT, SIG_DFL) }
  }

  for (order <- Seq("first", "last"))
    test(
      s"SIGHUP that ends what waits is not forgotten where another one begins meanwhile, and ends $order"
    ) {
      assume(!isIn("SigIgn", SIGHUP), "SIGHUP is ignored, as by nohup")
      noting(SIGHUP) {
        val events = new Events
        val end    = Promise[Unit]()
        val wait   = Signals.awaiting(end.future, hangUp = () => { events.add("hung up"); true })(() => ())
        onThread(wait)(events.add("over"))
        assertEquals(raise(SIGHUP), 0)
        events.expect("hung up")
        val other = Signals.awaiting(Future.unit, hangUp = () => false)(() => ())
        if (order == "first") other.cancel()
        end.success(())
        events.expect("over")
        if (order == "last") other.cancel()
        assertEquals(ended(), 0)
        assertEquals(raise(SIGHUP), 0)
        assertEquals(ended(), if (order == "first") 0 else SIGHUP)
        // nor is that one told to what begins later
        val again = Promise[Unit]()
        val later = Signals.awaiting(again.future, hangUp = () => { events.add("late"); true }) { () =>
          val _ = again.trySuccess(())
        }
        onThread(later)(events.add("again over"))
        eventually(Signals.isHeard)
        assertEquals(raise(SIGTERM), 0)
        events.expect("again over")
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

  for (others <- Seq(0, 1))
    test(s"what a signal has ended${if (others > 0) " last" else ""} leaves the next one to the system") {
      noting(SIGTERM) {
        val events  = new Events
        val stopped = List.fill(1 + others)(Promise[Unit]())
        val waits   = stopped.map(end =>
          Signals.awaiting(end.future) { () =>
            val _ = end.trySuccess(())
          }
        )
        for ((wait, i) <- waits.zipWithIndex) {
          onThread(wait)(events.add(s"$i is over"))
          eventually(Signals.isHeard)
        }
        for (i <- 0 until others) {
          stopped(i).success(())
          events.expect(s"$i is over")
        }
        assertEquals(raise(SIGTERM), 0)
        events.expect(s"$others is over")
        assertEquals(ended(), 0)
        for (again <- Seq(false, true)) {
          assertEquals(raise(SIGTERM), 0)
          assertEquals(ended(), SIGTERM, again)
        }
        // which does not keep others from being told
        val end = Promise[Unit]()
        onThread(Signals.awaiting(end.future) { () =>
          val _ = end.trySuccess(())
        })(events.add("again over"))
        eventually(Signals.isHeard)
        assertEquals(raise(SIGTERM), 0)
        events.expect("again over")
        assertEquals(ended(), 0)
      }
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

  test("they call it again when what one of them has ended is over") {
    val events = new Events
    Signals.onTerminate(() => events.add("own"))
    val end  = Promise[Unit]()
    val wait = Signals.awaiting(end.future) { () =>
      val _ = end.trySuccess(())
    }
    assertEquals(raise(SIGTERM), 0)
    wait()
    assertEquals(raise(SIGTERM), 0)
    events.expect("own")
  }

  test(
    "SIGXFSZ is ignored, so that a write beyond the limit of a file's size fails and does not end the program"
  ) {
    assert(isIn("SigIgn", SignalsSuite.FileSize))
  }
}

object SignalsSuite {
  private val ended = new AtomicInteger // the signal that would have ended this program

  private def taken(signal: Int): Unit = ended.set(signal)

  private final val FileSize = 25 // SIGXFSZ on Linux
}
