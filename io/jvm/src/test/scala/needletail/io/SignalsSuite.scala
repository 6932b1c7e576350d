package needletail.io

import needletail.testing.Suite

class SignalsSuite extends Suite {

  // SIGINT goes the same way, but a process started in a shell's background inherits that it is ignored.
  test("SIGTERM calls the action and does not end the process by itself") {
    val child = ChildProcess.start(ChildProcess.command("needletail.io.SignalsMain"))
    assertEquals(child.getInputStream.read(), 'r'.toInt) // ready
    new ProcessBuilder("kill", "-TERM", child.pid.toString).start().waitFor()
    assertEquals(ChildProcess.result(child), Some(("asked to end\n", 7)))
  }

  test("a signal that has come is still due where the thread that waits for its end is interrupted") {
    val child = ChildProcess.start(ChildProcess.command("needletail.io.InterruptedMain"))
    assertEquals(child.getInputStream.read(), 'r'.toInt) // ready
    new ProcessBuilder("kill", "-TERM", child.pid.toString).start().waitFor()
    assertEquals(ChildProcess.result(child).map(_._2), Some(128 + 15))
  }
}

object InterruptedMain {
  def main(args: Array[String]): Unit = {
    val thread = Thread.currentThread
    val wait   = Signals.awaiting(scala.concurrent.Future.never)(() => thread.interrupt())
    print("r")
    System.out.flush()
    try wait()
    catch { case _: InterruptedException => Thread.sleep(5000) }
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
