package needletail.http.admission

/**
 * How important a kind of request is under overload: requests of a lower priority are refused first.
 *
 * @param name as metrics show it
 * @param level 0 to 100; the higher level is served first
 */
final class Priority private (val name: String, val level: Int) {

  /** Whether it is never refused, regardless of the load: for health checks and administration. */
  def isCritical: Boolean = level > Priority.MaxLevel

  /**
   * How long requests may wait before they are refused, as a multiple of the target delay of a queue: 1 at level 50, 4
   * at 80, 0.4 at 20. So lower priorities are refused before higher ones are affected.
   */
  private[needletail] def patience: Double =
    if (level >= 50) 1 + (level - 50) * 0.1 else Math.max(0.1, level / 50.0)

  override def toString: String = name
}

object Priority {
  private[needletail] final val MaxLevel = 100

  /** Never refused, regardless of the load. */
  val Critical: Priority = new Priority("critical", MaxLevel + 1)

  /** Level 80: refused after normal requests. */
  val High: Priority = new Priority("high", 80)

  /** Level 50, the default. */
  val Normal: Priority = new Priority("normal", 50)

  /** Level 20: refused first, for example background work. */
  val Low: Priority = new Priority("low", 20)

  /** A priority with another level, 0 to 100; else IllegalArgumentException. */
  def apply(name: String, level: Int): Priority = {
    require(level >= 0 && level <= MaxLevel, s"the level of a priority is 0 to $MaxLevel, not $level")
    new Priority(name, level)
  }
}
