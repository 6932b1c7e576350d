package needletail.async

import scala.concurrent.duration._

/**
 * Checks of settings, for classes of them to call when they are made: a wrong value is an IllegalArgumentException that
 * names the setting and its value and says what is allowed.
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

  /** For what numbers and durations alone do not say; `allowed` goes on after "must be". */
  def check(name: String, value: Any, holds: Boolean, allowed: String): Unit =
    if (!holds) throw new IllegalArgumentException(s"$owner.$name is $value, but must be $allowed")
}

private[needletail] object Setting {
  def apply(owner: String): Setting = new Setting(owner)

  /**
   * Ten years. What is longer is a mistake, or means "never", and would be reached before the time it says, as times in
   * nanoseconds would not be told apart any more.
   */
  val Longest: FiniteDuration = 3650.days
}
