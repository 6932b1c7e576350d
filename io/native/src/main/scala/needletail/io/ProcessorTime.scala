package needletail.io

/** What the processor has done for a thread. */
private[needletail] object ProcessorTime {

  /** For the thread that asks, in nanoseconds; -1 where it is not known. A system call. */
  def ofThisThread: Long = Kernel.threadNanos()
}
