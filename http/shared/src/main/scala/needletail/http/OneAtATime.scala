package needletail.http

import needletail.async.Async

/**
 * For what reads a stream piece by piece: who asks for a piece before the last one has come gets an error, and whoever
 * waits for the last one gets it, as if the other had not asked.
 */
private[needletail] final class OneAtATime {

  /** The last result that was not complete when it was returned. */
  private var last: Async[Any] = Async.unit

  def apply[A](next: => Async[A]): Async[A] =
    if (!last.isCompleted) ByteStream.tooSoon
    else {
      val result = next
      if (!result.isCompleted) last = result
      result
    }
}
