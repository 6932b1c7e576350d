package needletail.load.engine.worker

import java.util.ArrayDeque

/**
 * Numbers of connections of one loop that are open, or being opened, at the same time, by which their TLS sessions are
 * kept apart. The one that was given back last is taken first, as there is a session to resume with it.
 *
 * @param first the loop's index
 * @param step  the number of loops
 */
private[engine] final class SessionNumbers(first: Int, step: Int) {
  private val free = new ArrayDeque[Integer]
  private var next = first

  def take(): Int = {
    val last = free.pollLast()
    if (last != null) last
    else {
      val number = next
      next += step
      number
    }
  }

  def giveBack(number: Int): Unit = free.addLast(number)
}
