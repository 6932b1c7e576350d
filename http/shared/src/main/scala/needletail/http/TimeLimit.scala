package needletail.http

import scala.concurrent.duration._

import needletail.async.{Loop, Setting}

/**
 * When what is done on somebody's behalf must be over, on the clock of the loop that asks, which in a
 * running program is `System.nanoTime`. A request has one, and calls made for it are bounded by it: explicitly, or because the request, or
 * its limit, is an implicit value where the call is made.
 */
final class TimeLimit private (private[needletail] val nanos: Long, private[needletail] val isSet: Boolean) {

  /** How long until then; none where there is no limit, zero where it has passed. */
  def timeLeft: Option[FiniteDuration] =
    if (isSet) Some(math.max(0L, nanos - Loop.nanoTime()).nanos) else None

  def hasPassed: Boolean = isSet && nanos - Loop.nanoTime() <= 0

  /** The earlier of the two. */
  def min(other: TimeLimit): TimeLimit =
    if (!other.isSet) this else if (!isSet || other.nanos - nanos < 0) other else this

  override def toString: String =
    timeLeft.fold("TimeLimit(none)")(left => s"TimeLimit(in ${left.toMillis} ms)")
}

object TimeLimit {

  /** No limit at all. */
  val none: TimeLimit = new TimeLimit(0, false)

  def in(duration: FiniteDuration): TimeLimit =
    at(Loop.nanoTime() + math.min(duration.toNanos, Setting.Longest.toNanos))

  private[needletail] def at(nanos: Long): TimeLimit = new TimeLimit(nanos, true)

  /** An implicit request bounds the calls made where it is in scope. */
  implicit def ofRequest(implicit request: Request): TimeLimit = request.timeLimit
}
