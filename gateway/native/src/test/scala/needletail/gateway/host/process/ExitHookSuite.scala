package needletail.gateway.host.process

import scala.concurrent.Promise

import scala.scalanative.posix.signal.{kill, SIGTERM}
import scala.scalanative.posix.unistd.getpid

import needletail.io.Signals
import needletail.testing.Suite

class ExitHookSuite extends Suite {
  test("what is to happen at the end leaves SIGTERM to the server, which drains") {
    val came = Promise[Unit]()
    val wait = Signals.awaiting(came.future) { () =>
      val _ = came.trySuccess(())
    }
    ExitHook.add(new Thread(() => ()))
    assertEquals(kill(getpid(), SIGTERM), 0)
    wait() // for ever if the signal is somebody else's
  }
}
