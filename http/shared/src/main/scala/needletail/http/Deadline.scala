package needletail.http

import scala.concurrent.duration._

/**
 * When what is done on somebody's behalf must be over, on the clock of `System.nanoTime`, which is that of every
 * event loop. A request has one, and calls made for it are bounded by it: explicitly, or because the request, or
 * its deadline, is an implicit value where the call is made.
 */
final class Deadline private (private[needletail] val nanos: Long, private[needletail] val isSet: Boolean) {

  /** How long until then; none where there is no deadline, zero where it has passed. */
  def timeLeft: Option[FiniteDuration] =
    if (isSet) Some(math.max(0L, nanos - System.nanoTime()).nanos) else None

  def hasPassed: Boolean = isSet && nanos - System.nanoTime() <= 0

  /** The earlier of the two. */
  def min(other: Deadline): Deadline =
    if (!other.isSet) this else if (!isSet || other.nanos - nanos < 0) other else this

  override def toString: String = timeLeft.fold("Deadline(none)")(left => s"Deadline(in ${left.toMillis} ms)")
}

object Deadline {

  /** No deadline at all. */
  val none: Deadline = new Deadline(0, false)

  def in(duration: FiniteDuration): Deadline = at(System.nanoTime() + duration.toNanos)

  private[needletail] def at(nanos: Long): Deadline = new Deadline(nanos, true)

  /** An implicit request bounds the calls made where it is in scope. */
  implicit def ofRequest(implicit request: Request): Deadline = request.deadline
}
