package needletail.io.system

import needletail.io.kernel.Kernel

/** Processor time of threads. */
private[needletail] object ProcessorTime {

  /** Processor time of the calling thread in nanoseconds; -1 if unknown. Costs a system call. */
  def ofThisThread: Long = Kernel.threadNanos()
}
