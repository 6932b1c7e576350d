package needletail.fuzz

private[fuzz] object CpuTime {

  /** The clock's time, there being no portable way to the thread's own: the least of several tries counts anyway. */
  def nanos(): Long = System.nanoTime()
}
