package needletail.fuzz

import java.lang.management.ManagementFactory

private[fuzz] object CpuTime {
  val isKnown: Boolean = true

  /** What the thread that asks has had of a processor: other programs on this machine don't count. */
  def nanos(): Long = ManagementFactory.getThreadMXBean.getCurrentThreadCpuTime
}
