package needletail.gateway.host.process

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.scalanative.posix.signal.{kill, SIGTERM}
import scala.scalanative.posix.unistd.getpid

import needletail.io.Signals
import needletail.testing.Suite

class ExitHookSuite extends Suite {
  test("what is to happen at the end leaves SIGTERM to the server, which drains") {
    val came = new CountDownLatch(1)
    Signals.onTerminate(() => came.countDown())
    ExitHook.add(new Thread(() => ()))
    assertEquals(kill(getpid(), SIGTERM), 0)
    assert(came.await(5, TimeUnit.SECONDS), "the signal was somebody else's")
  }
}
