package needletail.fuzz

import java.lang.management.ManagementFactory

private[fuzz] object CpuTime {
  val isKnown: Boolean = true

  /** Processor time of the calling thread in nanoseconds: other programs on this machine do not affect it. */
  def nanos(): Long = ManagementFactory.getThreadMXBean.getCurrentThreadCpuTime
}
