package needletail.testing

import java.lang.management.ManagementFactory

import com.sun.management.ThreadMXBean

/** Allocation of the calling thread, as counted by the virtual machine: no clock, so no noise. */
object Allocation {
  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]

  /** The number of bytes that `body` allocates. */
  def of(body: => Unit): Long = {
    val before = threads.getCurrentThreadAllocatedBytes
    body
    threads.getCurrentThreadAllocatedBytes - before
  }

  /**
   * The mean bytes that each of `calls` in `body` allocates when the code is warm. `body` is repeated until they are
   * at most `bound`, for at most a minute, since the compiler may be delayed, and its own allocation may be
   * counted. Returns the minimum.
   */
  def each(calls: Int, bound: Double)(body: => Unit): Double = {
    val deadline = System.nanoTime() + 60L * 1000 * 1000 * 1000
    var fewest   = of(body).toDouble / calls
    while (fewest > bound && System.nanoTime() < deadline)
      fewest = Math.min(fewest, of(body).toDouble / calls)
    fewest
  }
}
