package needletail.stream.stage

import scala.concurrent.duration.FiniteDuration

import needletail.async.{Async, Loop, Survivable}

/** The elements of an iterator, taken one at a time. */
private[stream] final class FromIterator[A](private var elements: Iterator[A]) extends Pull[A] {
  private[needletail] def advance(): AnyRef =
    if (elements == null) Pull.End
    else
      try
        if (elements.hasNext) elements.next().asInstanceOf[AnyRef]
        else {
          elements = null
          Pull.End
        }
      catch {
        case Survivable(e) =>
          elements = null
          Pull.fail(e)
      }

  def cancel(): Unit = elements = null
}

private[stream] final class FailedPull(private var error: Throwable) extends Pull[Nothing] {
  private[needletail] def advance(): AnyRef =
    if (error == null) Pull.End
    else {
      val once = error
      error = null
      Pull.fail(once)
    }

  def cancel(): Unit = error = null
}

/** The elements that `f` returns for one state after another, until it returns None. */
private[stream] final class Unfolded[S, A](private var state: S, f: S => Async[Option[(A, S)]])
    extends Pull[A] {
  private var over                          = false
  private var making: Async[Option[(A, S)]] = null

  private[needletail] def advance(): AnyRef =
    if (over) Pull.End
    else {
      if (making == null) {
        making = Async.defer(f(state))
        // its cancellation only withdraws from that value, as others may observe it, too
        if (!making.isCompleted) making = making.recoverWith(PartialFunction.empty)
        if (over) making.cancel() // by `f`
      }
      val result = making.resultOrNull
      // shielded, so that the next call gets the element of one that was withdrawn
      if (result == null) new Later(making.shield.transform(t => Pull.async(made(t))))
      else made(result.toTry)
    }

  private def made(result: scala.util.Try[Option[(A, S)]]): AnyRef = {
    making = null
    result match {
      case scala.util.Success(Some((element, next))) if !over =>
        state = next
        element.asInstanceOf[AnyRef]
      case scala.util.Failure(e) if !over =>
        over = true
        Pull.fail(e)
      case _ =>
        over = true
        Pull.End
    }
  }

  def cancel(): Unit = if (!over) {
    over = true
    if (making != null) making.cancel()
  }
}

/** The number of periods since the first call, at the end of each; those during which no reader waited are skipped. */
private[stream] final class Ticks(period: FiniteDuration) extends Pull[Long] {
  private val nanos      = period.toNanos
  private var loop: Loop = null // null before the first call
  private var begin      = 0L
  private var count      = 0L
  private var over       = false

  private[needletail] def advance(): AnyRef =
    if (over) Pull.End
    else {
      if (loop == null) {
        loop = Loop.current
        begin = loop.nowNanos
      }
      val passed = loop.nowNanos - begin
      val due    = (count + 1) * nanos
      if (passed >= due) {
        count = passed / nanos
        Long.box(count)
      } else
        new Later(
          Async.sleep(FiniteDuration(due - passed, scala.concurrent.duration.NANOSECONDS))
            .flatMap(_ => Pull.async(advance()))
        )
    }

  def cancel(): Unit = over = true
}
