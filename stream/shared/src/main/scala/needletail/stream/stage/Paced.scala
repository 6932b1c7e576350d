package needletail.stream.stage

import scala.concurrent.duration.FiniteDuration

import needletail.async.{Loop, Timer}

/**
 * The same elements, none before its time: the first one a period after it was requested, each other one a period after
 * the one before. An element is requested from the source first, so that a period is never saved up while there is none.
 *
 * Where the loop itself is late, by less than a period, the next time is not moved, so that many short periods do not
 * become longer by that.
 */
private[stream] final class Paced[A](up: Pull[A], period: FiniteDuration) extends Joined[A] {
  private val nanos        = period.toNanos
  private val side         = new Side(up, changed)
  private var loop: Loop   = null  // null before the first call
  private var due          = 0L    // when the next element may come
  private var timer: Timer = null  // while an element waits for that
  private var isTold       = false // within the timer

  protected def poll(): AnyRef = {
    if (loop == null) {
      loop = Loop.current
      due = loop.nowNanos + nanos
    }
    val x = side.look()
    if ((x eq Pull.End) || x.isInstanceOf[Later]) end(x)
    else if (x eq Pull.Again) x
    else {
      val now = loop.nowNanos
      if (now - due >= 0) {
        side.take()
        due = (if (isTold && now - due < nanos) due else now) + nanos
        x
      } else {
        if (timer == null) timer = loop.schedule(due - now, () => ring())
        Pull.Again
      }
    }
  }

  private def ring(): Unit = {
    timer = null
    isTold = true
    try changed()
    finally isTold = false
  }

  protected def cancelAll(): Unit = {
    if (timer != null) timer.cancel()
    timer = null
    side.cancel()
  }
}
