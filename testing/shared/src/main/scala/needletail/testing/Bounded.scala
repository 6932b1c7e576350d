package needletail.testing

import scala.concurrent.{Await, Future}
import scala.concurrent.duration.Duration
import scala.util.{Failure, Success, Try}

/**
 * Runs the body of a test on a thread of its own and gives up on it after a limit, so that a test that
 * hangs fails, with the place where it hung, and does not hold up all the tests that come after it.
 */
private[testing] object Bounded {

  /** Thrown in the name of a test that was not over in time; its stack trace is that of the test's thread. */
  final class Hung(message: String, where: Array[StackTraceElement]) extends Exception(message) {
    setStackTrace(where)
  }

  /**
   * What `body` returned or threw. A `Future` that it returns is awaited within the same limit. The thread of
   * a body that is not over in time is interrupted and left to itself: nothing can end it by force.
   */
  def run(name: String, limit: Duration)(body: () => Any): Try[Any] = {
    @volatile var outcome: Try[Any] = null // null until the body is over
    val thread                      = new Thread(() => outcome = attempt(body, limit), s"test: $name")
    thread.setDaemon(true)
    thread.start()
    thread.join(if (limit.isFinite) math.max(1L, limit.toMillis) else 0L) // 0: for as long as it takes
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
      case e: Throwable => Failure(e) // fatal errors too: one test's stack overflow is not the next one's
    }
}
