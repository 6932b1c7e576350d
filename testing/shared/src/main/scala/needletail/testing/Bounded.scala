package needletail.testing

import scala.concurrent.{Await, ExecutionException, Future}
import scala.concurrent.duration.Duration
import scala.util.{Failure, Success, Try}

/**
 * Runs the body of a test on a thread of its own with a time limit, so that a test that hangs fails with its stack
 * trace, and does not block later tests.
 */
private[testing] object Bounded {

  /** Thrown for a test that exceeded its time limit; its stack trace is that of the test's thread. */
  final class Hung(message: String, where: Array[StackTraceElement]) extends Exception(message) {
    setStackTrace(where)
  }

  /**
   * Returns what `body` returned or threw. A `Future` that it returns is awaited within the same limit. The thread of
   * a body that exceeds the limit is interrupted and abandoned, as nothing can end it by force.
   */
  def run(name: String, limit: Duration)(body: () => Any): Try[Any] = {
    @volatile var outcome: Try[Any] = null // null until the body is over
    val thread                      = new Thread(() => outcome = attempt(body, limit), s"test: $name")
    thread.setDaemon(true)
    thread.start()
    if (limit.isFinite) {
      val patience = new Patience(math.max(1L, limit.toNanos))
      while (thread.isAlive && !patience.isOver) thread.join(math.min(500L, patience.left / 1000000 + 1))
    } else thread.join()
    val result = outcome
    if (result != null) result
    else {
      val where = thread.getStackTrace
      thread.interrupt()
      Failure(new Hung(s"not over after $limit", where))
    }
  }

  private def attempt(body: () => Any, limit: Duration): Try[Any] =
    try
      body() match {
        case future: Future[_] => Success(Await.result(future, limit))
        case value             => Success(value)
      }
    catch {
      // a Future's own way of carrying an error: what it carries is the reason
      case e: ExecutionException if e.getMessage == "Boxed Exception" && e.getCause != null =>
        Failure(e.getCause)
      case e: Throwable => Failure(e) // fatal errors too: a stack overflow must not affect later tests
    }
}
