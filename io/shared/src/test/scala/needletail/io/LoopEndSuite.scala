package needletail.io

import scala.concurrent.{Await, Promise}
import scala.util.Try

import needletail.io.platform.Fallible

/** What is done at the end of a loop, and that nothing keeps it from being done. */
class LoopEndSuite extends LoopSuite {

  /** What is recorded on a loop until it has ended, whether by a fatal error or not. */
  private def ending(isFatal: Boolean)(body: (EventLoop, String => Unit) => Unit): List[String] = {
    val events = new Events
    val loops  = new EventLoops(1, "ending", daemon = true, onFailure = (_, _) => ())
    loops(0).execute { () =>
      body(loops(0), events.add)
      if (isFatal) fatal else loops.stop()
    }
    Await.result(loops.stopped, patience)
    events.add("ended")
    List.unfold(())(_ => Some(events.next()).filterNot(_ == "ended").map((_, ())))
  }

  private def fatal: Nothing = throw new OutOfMemoryError("for a test")

  /** Throws a fatal error when it is run, and when it is told of that. */
  private final class Stubborn(done: String => Unit) extends Runnable with Fallible {
    def run(): Unit                                    = { done("runs"); fatal }
    private[needletail] def failed(e: Throwable): Unit = { done("fails"); fatal }
  }

  test("what is left goes on after what throws a fatal error, and another one as it is told of that") {
    val done = ending(isFatal = true) { (loop, done) =>
      for (_ <- 1 to 2) loop.endOfTurn(new Stubborn(done))
      loop.execute(new Stubborn(done))
      loop.endOfTurn(() => done("the end of the turn"))
      loop.atEnd(() => done("the end"))
    }
    val stubborn = List.fill(3)(List("runs", "fails")).flatten
    assertEquals(done, stubborn.take(4) ++ ("the end of the turn" :: stubborn.take(2)) :+ "the end")
  }

  for (isFatal <- Seq(false, true))
    test(
      s"what its end leaves to the end of a turn is done, after ${if (isFatal) "a fatal error" else "`stop`"}"
    ) {
      val done = ending(isFatal) { (loop, done) =>
        loop.atEnd(() => loop.endOfTurn(() => done("the last")))
      }
      assertEquals(done, List("the last"))
    }

  test("no attempt to connect begins any more, which nothing would end") {
    val told = Promise[Try[Connection]]()
    val done = ending(isFatal = true) { (loop, done) =>
      loop.atEnd { () =>
        Connector.connect(Address.Tcp("127.0.0.1", 9), loop)(_ => new Recorder(new Events)).onComplete {
          result =>
            done("told")
            told.success(result)
        }
      }
    }
    assertEquals(done, List("told"))
    val e = told.future.value.get.get.failed.get
    assertEquals(e.getMessage, "the event loop is ending")
  }
}
