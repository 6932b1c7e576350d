package needletail.simulation.world

/**
 * The faults that a simulation injects, and how often. Most simulations have a few kinds of faults and not all of them:
 * if everything fails, only failures are tested.
 *
 * @param stalls       of 1,000 turns: the loop's thread does not get the processor for 1 ms to 2 s
 * @param preempted    of 1,000 readings of the clock: everything stands still for as long
 * @param shortReads   percent of reads and writes that move less than they could
 * @param spurious     of 1,000 times: a socket is reported as ready and is not
 * @param resets       of 1,000 transfers: the connection is reset
 * @param acceptFails  of 1,000 accepts: no descriptors are left (EMFILE), or the connection broke in the queue
 * @param configFails  of 1,000: options of a new socket cannot be set
 * @param connectFails percent of connects that are refused, hang or succeed late
 * @param throws       of 1,000 calls of user code: it throws
 * @param fatal        whether it may also throw a fatal error
 */
final case class FaultRates(
    stalls: Int,
    preempted: Int,
    shortReads: Int,
    spurious: Int,
    resets: Int,
    acceptFails: Int,
    configFails: Int,
    connectFails: Int,
    throws: Int,
    fatal: Boolean
) {

  /** Without those that can end a connection or hold up a server: a slow but steady reader gets everything. */
  def undisturbed: FaultRates =
    copy(stalls = 0, preempted = 0, resets = 0, acceptFails = 0, configFails = 0, throws = 0)

  /** Where user code throws fatal errors, too. */
  def deadly: FaultRates = copy(throws = math.max(throws, 30), fatal = true)

  /** Whether there are no faults. */
  def isNone: Boolean = this == FaultRates.none
}

object FaultRates {
  val none: FaultRates = FaultRates(0, 0, 0, 0, 0, 0, 0, 0, 0, fatal = false)

  def apply(random: SeededRandom): FaultRates = {
    def some(percent: Int, most: Int): Int = if (random.percent(percent)) 1 + random.below(most) else 0
    FaultRates(
      stalls = some(30, 20),
      preempted = some(15, 4),
      shortReads = some(60, 100),
      spurious = some(30, 100),
      resets = some(30, 30),
      acceptFails = some(20, 200),
      configFails = some(20, 200),
      connectFails = some(20, 40),
      throws = some(50, 120),
      fatal = random.percent(5)
    )
  }
}
