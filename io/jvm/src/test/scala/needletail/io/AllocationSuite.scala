package needletail.io

import needletail.io.platform.ListenOptions
import needletail.testing.Suite

import java.lang.management.ManagementFactory

import scala.concurrent.duration._

/** Guards that a turn allocates nothing in steady state; counted, not timed, so that the machine's speed is no matter. */
class AllocationSuite extends Suite {
  override def munitTimeout: Duration = 2.minutes // of a JVM that is started

  test("a turn with a read, a new deadline, something put off to its end, and a write allocates nothing") {
    // In a JVM of its own, whose compiler has seen no other use of the JDK's selectors.
    val child = ChildProcess.start(ChildProcess.command("needletail.io.AllocationMain"))
    assertEquals(ChildProcess.result(child), Some(("nothing\n", 0)))
  }
}

object AllocationMain {
  private val counters = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]
  private val reply    = "answer".getBytes

  def main(args: Array[String]): Unit = {
    val loop                   = new EventLoops(1, "measured", daemon = true)(0)
    @volatile var thread: Long = 0
    val listener               = Listener.bind(
      Address.Tcp("127.0.0.1", 0),
      loop,
      ListenOptions(),
      _.start(loop, ConnectionOptions()) { c =>
        thread = Thread.currentThread().getId
        new Answer(c)
      }
    )
    val client = listener.address match {
      case Address.Tcp(host, port) => new java.net.Socket(host, port)
      case _                       => throw new AssertionError("no port")
    }
    def rounds(count: Int): Unit =
      for (_ <- 1 to count) {
        client.getOutputStream.write('x')
        client.getInputStream.readNBytes(reply.length)
      }
    // The first rounds load classes; later ones may coincide with a compiler that exchanges code under way.
    val each = Iterator.fill(10) {
      rounds(1)
      val before = counters.getThreadAllocatedBytes(thread)
      rounds(3000)
      (counters.getThreadAllocatedBytes(thread) - before) / 3000.0
    }
    println(each.find(_ < 1).fold("some bytes in every turn")(_ => "nothing"))
  }

  private final class Answer(c: Connection) extends ConnectionHandler {
    private val answer: Runnable = () => c.write(reply, 0, reply.length)

    def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
      c.deadline = c.loop.nowNanos + 60L * 1000 * 1000 * 1000
      c.loop.endOfTurn(answer)
      until
    }
    def onEnd(): Unit                    = ()
    def onDrained(): Unit                = ()
    def onDeadline(): Unit               = ()
    def onClosed(cause: Throwable): Unit = ()
  }
}
