package needletail.async

import scala.concurrent.duration._

/**
 * Checks settings when they are constructed. A wrong value throws IllegalArgumentException with the name of the
 * setting, its value and the allowed values.
 *
 * @param owner the class of settings, which messages name
 */
private[needletail] final class Setting private (owner: String) {
  import Setting.Longest

  def positive(name: String, value: FiniteDuration): Unit =
    check(name, value, value != null && value.length > 0 && value <= Longest, s"above 0 and at most $Longest")

  def notNegative(name: String, value: FiniteDuration): Unit =
    check(name, value, value != null && value.length >= 0 && value <= Longest, s"0 to $Longest")

  def positive(name: String, value: Long): Unit    = check(name, value, value > 0, "above 0")
  def notNegative(name: String, value: Long): Unit = check(name, value, value >= 0, "0 or above")

  def between(name: String, value: Long, least: Long, most: Long): Unit =
    check(name, value, value >= least && value <= most, s"$least to $most")

  /** Any other check; `allowed` follows "must be" in the message. */
  def check(name: String, value: Any, holds: Boolean, allowed: => String): Unit =
    if (!holds) throw new IllegalArgumentException(s"$owner.$name is $value, but must be $allowed")
}

private[needletail] object Setting {
  def apply(owner: String): Setting = new Setting(owner)

  /**
   * Ten years, the longest duration allowed. Longer ones are mistakes, or mean "never"; as differences of times in
   * nanoseconds they would overflow.
   */
  val Longest: FiniteDuration = 3650.days
}
