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
