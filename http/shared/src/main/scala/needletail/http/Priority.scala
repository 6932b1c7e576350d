package needletail.http

/**
 * How much a kind of request matters when there is more to do than can be done: the lower ones are refused first.
 *
 * @param level 0 to 100; of two classes, the one with the higher level is served first
 */
final class Priority private (val name: String, val level: Int) {

  /** Refused by no limiter, whatever the load: for health checks and administration. */
  def isCritical: Boolean = level > Priority.MaxLevel

  /**
   * How many times the target of a queue's delay this class may wait before it is refused: 1 at level 50, 4 at 80,
   * 0.4 at 20. The lower one thus gives way before the higher one feels anything.
   */
  private[needletail] def patience: Double =
    if (level >= 50) 1 + (level - 50) * 0.1 else Math.max(0.1, level / 50.0)

  override def toString: String = name
}

object Priority {
  private[needletail] final val MaxLevel = 100

  /** Never refused. */
  val Critical: Priority = new Priority("critical", MaxLevel + 1)
  val High: Priority     = new Priority("high", 80)
  val Normal: Priority   = new Priority("normal", 50)
  val Low: Priority      = new Priority("low", 20)

  /** A class of your own. */
  def apply(name: String, level: Int): Priority = {
    require(level >= 0 && level <= MaxLevel, s"the level of a priority is 0 to $MaxLevel, not $level")
    new Priority(name, level)
  }
}
