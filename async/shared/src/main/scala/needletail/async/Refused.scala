package needletail.async

import java.util.concurrent.RejectedExecutionException

/** A failure that is told in the loop's next turn; if the loop has ended, by its end. */
private[async] final class Refused[A](loop: Loop, failure: Result[A]) extends Pending[A] with Runnable {
  try loop.execute(this)
  catch { case _: RejectedExecutionException => loop.atEnd(this) }

  def run(): Unit = settle(failure)
}

private[needletail] object Refused {

  /**
   * A call as its caller gets it: if it has failed already, because it was refused, the failure is told in the loop's next
   * turn. Otherwise a caller that calls again at once would never let the loop go on: neither would time pass for it, nor
   * would anybody else be served. To be called on a loop.
   */
  def later[A](call: Async[A]): Async[A] = {
    val result = call.resultOrNull
    if (result == null || result.isValue) call else new Refused(Loop.current, result)
  }
}
