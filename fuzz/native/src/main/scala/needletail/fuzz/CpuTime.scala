package needletail.fuzz

private[fuzz] object CpuTime {

  /** A thread's processor time is not available here, and wall-clock time is not meaningful on a busy machine. */
  val isKnown: Boolean = false

  def nanos(): Long = 0
}
