package needletail.io.loop

import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.io.{EventLoop, EventLoops}
import needletail.testing.Suite

/** A log that throws a fatal error while a loop reports something else. */
class FatalLogSuite extends Suite {
  private def fatal = new OutOfMemoryError("of the log")

  /** What was done on a loop with that log, until it ended; then what it has reported. */
  private def runs(log: (String, Throwable) => Unit)(failing: EventLoop => Unit): List[Any] = {
    val done  = new ConcurrentLinkedQueue[String]
    val loops = new EventLoops(
      1,
      "fatal-log",
      daemon = true,
      onFailure = (text, e) => { done.add(s"reported $text: ${e.getMessage}"); log(text, e) },
      onFailed = name => { done.add(s"$name has failed"); () }
    )
    val loop = loops(0)
    loop.execute { () =>
      loop.execute(() => failing(loop))
      loop.execute { () => done.add("the turn goes on"); () }
    }
    Await.result(loops.stopped, 20.seconds)
    done.toArray.toList
  }

  test("it ends the loop, after the turn, as a fatal error of other user code does") {
    val before = EventLoop.onFailure
    val hooked = new ConcurrentLinkedQueue[String]
    EventLoop.onFailure = (text, e) => { hooked.add(s"$text: ${e.getMessage}"); () }
    val done =
      try
        runs((_, e) => if (e.getMessage == "a task failed") throw fatal) { _ =>
          throw new IllegalStateException("a task failed")
        }
      finally EventLoop.onFailure = before
    assertEquals(
      done,
      List[Any](
        "reported an exception on the event loop fatal-log-0: a task failed",
        "the turn goes on",
        "fatal-log-0 has failed",
        "reported the event loop fatal-log-0 ends: of the log",
        "fatal-log-0 has failed"
      )
    )
    assertEquals(
      hooked.toArray.toList,
      List[Any](
        "an exception on the event loop fatal-log-0: a task failed",
        "the failure log failed: of the log"
      )
    )
  }
}
