package needletail.server.clock

/** The clocks of a loop. All nanoseconds except `processorNanos` are of the same clock. */
private[needletail] trait Clock {

  /** The wall clock, in milliseconds since 1970. */
  def nowMillis: Long

  /** When the loop's current turn began (when it stopped waiting), in nanoseconds. */
  def turnNanos: Long

  /** The clock, read now. */
  def nanos: Long

  /** When the wait before the current turn should have ended at the latest; MaxValue if no timer was set. */
  def dueNanos: Long = Long.MaxValue

  /** The processor time of the loop's thread in nanoseconds; -1 if unknown. */
  def processorNanos: Long = -1

  /** How often the loop's thread has given up the processor by itself; -1 if unknown. */
  def waits: Long = -1

  /** For how many nanoseconds it has wanted to run while others did; -1 if unknown, as where `waits` is known. */
  def delayNanos: Long = -1

  /**
   * For how long the loop has computed TLS handshakes, in nanoseconds: in all; before the present turn; and in the
   * latest turn before it in which there were any.
   */
  def handshakeNanos: Long       = 0
  def handshakeNanosBefore: Long = 0
  def handshakeNanosLatest: Long = 0

  /** Runs `task` at the end of the loop's current turn. */
  def atTurnEnd(task: Runnable): Unit
}
