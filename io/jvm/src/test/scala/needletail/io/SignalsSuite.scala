package needletail.io

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Promise
import scala.concurrent.duration._

import needletail.testing.Suite

class SignalsSuite extends Suite {
  override def munitTimeout: Duration = 2.minutes // of a JVM that is started

  // SIGINT goes the same way, but a process started in a shell's background inherits that it is ignored.
  test("SIGTERM calls the action and does not end the process by itself") {
    val child = ChildProcess.start(ChildProcess.command("needletail.io.SignalsMain"))
    assertEquals(child.getInputStream.read(), 'r'.toInt) // ready
    new ProcessBuilder("kill", "-TERM", child.pid.toString).start().waitFor()
    assertEquals(ChildProcess.result(child), Some(("asked to end\n", 7)))
  }

  test("of what is asked for while the action runs it runs once more, and no thread waits") {
    val (begun, go) = (new CountDownLatch(1), new CountDownLatch(1))
    val ran         = new AtomicInteger
    val once        = Signals.joined { () =>
      ran.incrementAndGet()
      begun.countDown()
      go.await()
    }
    val first = new Thread(once)
    first.start()
    begun.await()
    for (_ <- 1 to 100) once.run() // returns though the action runs
    go.countDown()
    first.join()
    assertEquals(ran.get, 2)
    once.run()
    assertEquals(ran.get, 3)
    val failing = Signals.joined { () => ran.incrementAndGet(); throw new Exception("in vain") }
    for (_ <- 1 to 2) intercept[Exception](failing.run())
    assertEquals(ran.get, 5)
  }

  test("a signal that has come is still due where the thread that waits for its end is interrupted") {
    val child = ChildProcess.start(ChildProcess.command("needletail.io.InterruptedMain"))
    assertEquals(child.getInputStream.read(), 'r'.toInt) // ready
    new ProcessBuilder("kill", "-TERM", child.pid.toString).start().waitFor()
    assertEquals(ChildProcess.result(child).map(_._2), Some(128 + 15))
  }

  test("a signal that was told in vain ends the process as that signal, not as another one") {
    assume(!isInterruptIgnored, "SIGINT is ignored, as in a script's background")
    val child = ChildProcess.start(ChildProcess.command("needletail.io.InterruptedMain"))
    assertEquals(child.getInputStream.read(), 'r'.toInt)
    new ProcessBuilder("kill", "-INT", child.pid.toString).start().waitFor()
    assertEquals(ChildProcess.result(child).map(_._2), Some(128 + 2))
  }

  for ((name, number) <- Seq("TERM" -> 15, "HUP" -> 1))
    test(s"SIG$name that has come and is told of when the last one has given up ends the process") {
      val child = ChildProcess.start(ChildProcess.command(s"needletail.io.LateMain $name"))
      try {
        assert(child.waitFor(20, TimeUnit.SECONDS), "it goes on")
        assertEquals(child.exitValue, 128 + number)
      } finally { child.destroyForcibly(); () }
    }

  for (order <- Seq("first", "last"))
    test(
      s"SIGHUP that ends what waits is not forgotten where another one begins meanwhile, and ends $order"
    ) {
      val child                = ChildProcess.start(ChildProcess.command(s"needletail.io.HungUpMain $order"))
      def expect(letter: Char) = assertEquals(child.getInputStream.read(), letter.toInt)
      def send(name: String)   = new ProcessBuilder("kill", s"-$name", child.pid.toString).start().waitFor()
      try {
        expect('r')
        send("HUP")
        expect('o')
        if (order == "first") send("HUP")
        send("TERM")
        assert(child.waitFor(20, TimeUnit.SECONDS), "it goes on")
        assertEquals(child.exitValue, 128 + 15)
      } finally { child.destroyForcibly(); () }
    }

  private def isInterruptIgnored = java.nio.file.Files
    .readAllLines(java.nio.file.Paths.get("/proc/self/status"))
    .stream
    .filter(_.startsWith("SigIgn"))
    .anyMatch(line => (java.lang.Long.parseUnsignedLong(line.drop(7).trim, 16) >> 1 & 1) == 1)

  for (own <- Seq(false, true))
    test(
      s"a program that outlives what a signal has ended is ${if (own) "told of" else "ended by"} the next one"
    ) {
      val child                = ChildProcess.start(ChildProcess.command(s"needletail.io.OutlivingMain $own"))
      def expect(letter: Char) = assertEquals(child.getInputStream.read(), letter.toInt)
      def terminate()          = new ProcessBuilder("kill", "-TERM", child.pid.toString).start().waitFor()
      try {
        expect('r')
        terminate()
        expect('o')
        terminate()
        assert(child.waitFor(20, TimeUnit.SECONDS), "it goes on")
        assertEquals(child.exitValue, if (own) 7 else 128 + 15)
      } finally { child.destroyForcibly(); () }
    }
}

/** What SIGHUP ends, and another one that begins then. */
object HungUpMain {
  def main(args: Array[String]): Unit = {
    val told    = new CountDownLatch(1)
    val stopped = Promise[Unit]()
    val wait    = Signals.awaiting(stopped.future, hangUp = () => { told.countDown(); true })(() => ())
    print("r") // ready
    System.out.flush()
    told.await()
    val other = Signals.awaiting(Promise[Unit]().future, hangUp = () => false)(() => ())
    if (args.head == "first") other.cancel()
    stopped.success(())
    wait()
    if (args.head == "last") other.cancel()
    print("o") // over
    System.out.flush()
    new CountDownLatch(1).await()
  }
}

/** Is told of a signal by a thread that the JVM has begun before nobody waited. */
object LateMain {
  def main(args: Array[String]): Unit = {
    val signal  = new sun.misc.Signal(args.head)
    val wait    = Signals.awaiting(scala.concurrent.Future.never, hangUp = () => false)(() => ())
    val handler = sun.misc.Signal.handle(signal, sun.misc.SignalHandler.SIG_DFL)
    sun.misc.Signal.handle(signal, handler)
    wait.cancel()
    handler.handle(signal)
    new CountDownLatch(1).await()
  }
}

object OutlivingMain {
  def main(args: Array[String]): Unit = {
    if (args.head.toBoolean) Signals.onTerminate(() => Runtime.getRuntime.halt(7))
    val stopped = Promise[Unit]()
    val wait    = Signals.awaiting(stopped.future)(() => { stopped.trySuccess(()); () })
    print("r") // ready
    System.out.flush()
    wait()
    print("o") // over
    System.out.flush()
    new CountDownLatch(1).await()
  }
}

object InterruptedMain {
  def main(args: Array[String]): Unit = {
    val thread = Thread.currentThread
    val wait   = Signals.awaiting(scala.concurrent.Future.never)(() => thread.interrupt())
    print("r")
    System.out.flush()
    try wait()
    catch { case _: InterruptedException => new CountDownLatch(1).await() } // the signal ends it
    sys.exit(3)
  }
}

object SignalsMain {
  def main(args: Array[String]): Unit = {
    val asked = new java.util.concurrent.CountDownLatch(1)
    Signals.onTerminate(() => asked.countDown())
    print("r")
    System.out.flush()
    if (asked.await(8, java.util.concurrent.TimeUnit.SECONDS)) {
      println("asked to end")
      sys.exit(7)
    }
  }
}
