package needletail.http.admission

import scala.concurrent.duration._

import needletail.async.{Loop, Setting}

/**
 * A deadline on the clock of the current event loop, which in a running program is `System.nanoTime`. A request has
 * one, which also applies to the calls made for it: explicitly, or because the request or its limit is an implicit
 * value at the call.
 */
final class TimeLimit private (private[needletail] val nanos: Long, private[needletail] val isSet: Boolean) {

  /** The time left; None if there is no limit, zero if it has passed. */
  def timeLeft: Option[FiniteDuration] =
    if (isSet) Some(math.max(0L, nanos - Loop.nanoTime()).nanos) else None

  /** Whether there is a limit and it has passed. */
  def hasPassed: Boolean = isSet && nanos - Loop.nanoTime() <= 0

  /** The earlier of two limits. */
  def min(other: TimeLimit): TimeLimit =
    if (!other.isSet) this else if (!isSet || other.nanos - nanos < 0) other else this

  override def toString: String =
    timeLeft.fold("TimeLimit(none)")(left => s"TimeLimit(in ${left.toMillis} ms)")
}

object TimeLimit {

  /** No limit at all. */
  val none: TimeLimit = new TimeLimit(0, false)

  /** The limit that passes after `duration`. */
  def in(duration: FiniteDuration): TimeLimit =
    at(Loop.nanoTime() + math.min(duration.toNanos, Setting.Longest.toNanos))

  private[needletail] def at(nanos: Long): TimeLimit = new TimeLimit(nanos, true)

  /** The limit of an implicit request, for calls that are made in its scope. */
  implicit def of(implicit limited: HasTimeLimit): TimeLimit = limited.timeLimit
}

/** Something that must be done by a certain time, such as a [[Request]]. */
trait HasTimeLimit {

  /** When it must be done. */
  def timeLimit: TimeLimit
}
