package needletail.stream.stage

import needletail.async.{Async, AsyncPromise, Survivable}

/**
 * Reads a stream to its end. Cancelling the result cancels the stream.
 *
 * @param take called with each element; its exceptions cancel the stream and are the result
 */
private[stream] final class Drain[A, B](private var up: Pull[A], take: A => Any, result: () => B) {
  private val budget = Budget.here
  private var over   = false // whether the stream must not be cancelled any more

  def run(): Async[B] = {
    val outcome = go()
    if (outcome.isCompleted) outcome
    else {
      val promise = new AsyncPromise[B]
      promise.onCancel { () =>
        val reading = !over
        over = true
        outcome.cancel()
        if (reading) Pull.cancel(up)
      }
      outcome.onComplete { t =>
        over = true
        promise.complete(t)
        ()
      }
      promise
    }
  }

  private val received: AnyRef => Async[B] = x => {
    val answer = if (over) null else accept(x)
    if (answer == null) go() else answer
  }

  private def go(): Async[B] = {
    var answer: Async[B] = null
    while (answer == null)
      if (budget.isSpent) answer = Async.yieldNow.flatMap(_ => go())
      else
        advance() match {
          case later: Later => answer = later.async.flatMap(received)
          case x            => answer = accept(x)
        }
    answer
  }

  private def advance(): AnyRef = {
    up = up.asPull
    try up.advance()
    catch { case Survivable(e) => stopped(e); Pull.fail(e) } // the stack is used up
  }

  /** Null if there may be more. */
  private def accept(x: AnyRef): Async[B] =
    if (x eq Pull.End) {
      over = true
      Async.attempt(result())
    } else
      try {
        take(x.asInstanceOf[A])
        null
      } catch { case Survivable(e) => stopped(e) }

  private def stopped(error: Throwable): Async[B] = {
    over = true
    Pull.cancel(up)
    Async.fail(error)
  }
}
