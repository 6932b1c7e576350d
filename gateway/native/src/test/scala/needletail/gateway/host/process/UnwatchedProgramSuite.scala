package needletail.gateway.host.process

import java.util.concurrent.atomic.AtomicReference

import scala.scalanative.posix.fcntl.{open, O_RDONLY}
import scala.scalanative.unsafe._
import scala.util.Try

import needletail.gateway.host.Hosted
import needletail.gateway.host.backend.ByteText
import needletail.io.EventLoops

/** A program that the loop cannot watch, as when the system permits no more watched descriptors. */
class UnwatchedProgramSuite extends Hosted {
  private val loops = new EventLoops(1, "unwatched", daemon = true)

  override def afterAll(): Unit = {
    loops.stop()
    super.afterAll()
  }

  /** A number that no loop can watch, as it is a file's. */
  private def file(): Int = open(c"/dev/null", O_RDONLY)

  private def start(): StartedProgram =
    Spawner.start(Launch(
      ByteText.of("/bin/sleep"),
      List(ByteText.of(own(407))),
      Nil,
      ByteText.of(directory.toString)
    ))

  /** The result of attaching it on the loop. */
  private def attach(numbers: Array[Int]): Try[Program] = {
    val result = new AtomicReference[Try[Program]]
    loops(0).execute(() =>
      result.set(Try(new StartedProgram(numbers).attach(loops(0), 0, _ => ())))
    )
    eventually(result.get != null)
    result.get
  }

  for ((i, name) <- Seq(2 -> "output", 3 -> "errors", 4 -> "end"))
    test(s"its $name cannot be watched: it is killed, and nothing of it stays open") {
      attach(start().numbers).get.stop() // all that is made once is there
      eventually(processes(own(407)).isEmpty, processes(own(407)))
      untilStill(descriptors.length) // its pipes are closed
      leavingNothing {
        val numbers = start().numbers
        HostKernel.close(numbers(i))
        numbers(i) = file()
        assert(attach(numbers).isFailure)
        eventually(processes(own(407)).isEmpty, processes(own(407)))
      }
    }
}
