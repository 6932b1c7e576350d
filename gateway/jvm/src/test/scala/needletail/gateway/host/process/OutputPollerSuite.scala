package needletail.gateway.host.process

import java.io.{InputStream, OutputStream}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._
import scala.concurrent.{Await, Promise}
import scala.util.Try

import needletail.gateway.host.{Hosted, OnALoop}
import needletail.io.{EventLoop, EventLoops}

/** Programs whose output cannot be read by the one thread that reads that of all. */
class OutputPollerSuite extends Hosted with OnALoop {
  private final class Unreadable(error: Throwable) extends Process {
    private val asked                 = new AtomicInteger
    def getInputStream: InputStream   = InputStream.nullInputStream
    def getErrorStream: InputStream   = InputStream.nullInputStream
    def getOutputStream: OutputStream = OutputStream.nullOutputStream
    def waitFor(): Int                = 0
    def exitValue: Int                = 0
    def destroy(): Unit               = ()
    override def pid: Long            = Int.MaxValue.toLong - 1 // no process has so large a number
    override def isAlive: Boolean     = if (asked.getAndIncrement() == 0) throw error else false
  }

  private final class Broken extends RuntimeException("it cannot be read", null, false, false)

  test(
    "a program that cannot be read counts as ended, also if what is told that throws, and others are read"
  ) {
    sh("ok", "printf 'Content-Type: text/plain\\n\\nok'")
    val before = EventLoop.onFailure
    val told   = new AtomicInteger
    EventLoop.onFailure = (_, _) => {
      told.incrementAndGet()
      throw new IllegalStateException("the hook fails")
    }
    try
      withLoop { loop =>
        val status = Promise[Int]()
        val output = Promise[Try[Option[Array[Byte]]]]()
        on(loop) {
          val program = new StartedProgram(new Unreadable(new Broken)).attach(loop, 0, _ => ())
          program.output.next().onComplete { piece => output.trySuccess(piece); () }
          program.onEnd { n => status.trySuccess(n); () }
        }
        assertEquals(Await.result(status.future, 20.seconds), 137)
        assert(Await.result(output.future, 20.seconds).isFailure)
        assert(told.get >= 1)
        hosting()(server => assertEquals(get(server, "/cgi-bin/ok").body, "ok"))
      }
    finally EventLoop.onFailure = before
  }

  test("a fatal error in reading a program is the end of the loop that serves its request") {
    val before = EventLoop.onFailure
    EventLoop.onFailure = (_, _) => ()
    val loops = new EventLoops(1, "needletail-test", daemon = true, onFailure = (_, _) => ())
    try {
      val loop   = loops(0)
      val status = Promise[Int]()
      on(loop) {
        val program =
          new StartedProgram(new Unreadable(new OutOfMemoryError("test"))).attach(loop, 0, _ => ())
        program.onEnd { n => status.trySuccess(n); () }
      }
      assertEquals(Await.result(status.future, 20.seconds), 137)
      eventually(!loop.isAlive)
    } finally {
      loops.stop()
      EventLoop.onFailure = before
    }
  }
}
