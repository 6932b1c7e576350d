package needletail.tcp

import java.util.ArrayDeque

/**
 * The requests of one connection that await their answers, in the order in which the answers come: also those that nobody
 * waits for any more. Counted in `counts`. Used on the connection's loop only.
 */
private[tcp] final class ExchangesInFlight[I, O](counts: ClientCounts) {
  private val queue     = new ArrayDeque[Exchange[I, O]]
  private var takenBack = 0 // of those in it

  /** How many await an answer. */
  def size: Int = queue.size - takenBack

  /** The one whose answer is the next; null if there is none. */
  def first: Exchange[I, O] = {
    while (takenBack > 0 && !queue.isEmpty && queue.peekFirst.isTakenBack) {
      queue.removeFirst()
      takenBack -= 1
    }
    queue.peekFirst
  }

  /** Whether nobody waits for any of them. */
  def areOver: Boolean = {
    val all  = queue.iterator
    var over = true
    while (over && all.hasNext) over = all.next().isOver
    over
  }

  def add(x: Exchange[I, O]): Unit = {
    queue.addLast(x)
    counts.add(ClientCounts.InFlight, 1)
  }

  /** The first has its answer. */
  def removeFirst(): Unit = {
    queue.removeFirst()
    counts.add(ClientCounts.InFlight, -1)
  }

  /** One of them was not sent, and was marked so: it awaits no answer. */
  def takenBackOne(): Unit = {
    takenBack += 1
    counts.add(ClientCounts.InFlight, -1)
  }

  /** Those that were taken back leave for good, all at once: each by itself would have the others move up. */
  def dropTakenBack(): Unit = if (takenBack > 0) {
    takenBack = 0
    for (_ <- 1 to queue.size) {
      val x = queue.removeFirst()
      if (!x.isTakenBack) queue.addLast(x)
    }
  }

  /** Takes all of them: the connection has ended. Returns those that have not ended, in order. */
  def takeAll(): List[Exchange[I, O]] = {
    counts.add(ClientCounts.InFlight, -size)
    var left = List.empty[Exchange[I, O]]
    while (!queue.isEmpty) {
      val x = queue.removeLast()
      if (!x.isOver) left ::= x
    }
    left
  }
}
