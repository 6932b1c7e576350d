package needletail.gateway.host.process

import java.util.concurrent.CountDownLatch

import needletail.gateway.host.Hosted
import needletail.testkit.ManualLoop

/** The threads that write to programs. */
class ProgramInputSuite extends Hosted {
  sh("echo", "printf 'Content-Type: text/plain\\n\\n'", "exec cat")

  test("a program gets its request whatever number of others do not read theirs") {
    val blocked = 300
    val begun   = new CountDownLatch(blocked)
    val gate    = new CountDownLatch(1)
    try {
      (new ManualLoop).within {
        for (_ <- 1 to blocked) JvmProgram.inputs { begun.countDown(); gate.await() }.onComplete(_ => ())
      }
      hosting() { server =>
        assertEquals(post(server, "/cgi-bin/echo", "read").body, "read")
        begun.await()
      }
    } finally gate.countDown()
  }
}
