package needletail.testing

import java.lang.management.ManagementFactory

import com.sun.management.ThreadMXBean

/** What code allocates, as the virtual machine counts it for the calling thread: no clock, so no noise. */
object Allocation {
  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]

  /** Octets. */
  def of(body: => Unit): Long = {
    val before = threads.getCurrentThreadAllocatedBytes
    body
    threads.getCurrentThreadAllocatedBytes - before
  }

  /**
   * Octets that each of `calls` in `body` allocates, in the mean, when the code is warm: `body` runs until they are
   * at most `bound`, and for ten seconds at most, since a compiler that has other things to do takes its time, and
   * what it does on the way may be counted. The fewest are answered.
   */
  def each(calls: Int, bound: Double)(body: => Unit): Double = {
    val deadline = System.nanoTime() + 10L * 1000 * 1000 * 1000
    var fewest   = of(body).toDouble / calls
    while (fewest > bound && System.nanoTime() < deadline)
      fewest = Math.min(fewest, of(body).toDouble / calls)
    fewest
  }
}
