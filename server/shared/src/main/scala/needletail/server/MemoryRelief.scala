package needletail.server

import scala.collection.mutable.ArrayBuffer

import needletail.io.EventLoop

/**
 * Keeps the memory that one loop's connections hold below its bound, so that peers that stall while something is held
 * for them can't have all of it: when memory is short those are ended who have not moved for a while, those who hold
 * most first. When it is full, anybody who holds some for a peer's sake may be: bodies are refused before that, so it
 * takes many who read nothing.
 *
 * Nobody ever waits for another's memory: whoever gets none is refused, so that there are no deadlocks.
 */
private[server] final class MemoryRelief(
    loop: EventLoop,
    bytes: Long,
    connections: LoopConnections,
    counts: LoopCounts
) extends Runnable {
  import MemoryRelief._

  private var asked      = false
  private var looksUntil = loop.platform.nanoTime()
  loop.memory.setBound(
    bytes,
    () =>
      if (!asked) {
        asked = true
        loop.endOfTurn(this)
      }
  )

  /** To be called every tenth of a second or so, as a peer that moves has to be seen to. */
  def look(): Unit = {
    val now = loop.platform.nanoTime()
    if (loop.memory.isTight || loop.memory.hasDenied) {
      loop.memory.hasDenied = false
      looksUntil = now + Attention
    }
    if (now - looksUntil < 0) relieve()
  }

  /** At the end of a turn in which it became full. */
  def run(): Unit = {
    asked = false
    relieve()
  }

  private def relieve(): Unit = {
    val now     = loop.platform.nanoTime()
    val stalled = ArrayBuffer.empty[ServedConnection]
    val moving  = ArrayBuffer.empty[ServedConnection]
    connections.foreach { c =>
      if (c.heldForPeer >= Least) {
        if (c.isStalled(now)) stalled += c else moving += c
        ()
      }
    }
    relieve(stalled, loop.memory.bound / 2)
    if (loop.memory.isFull) relieve(moving, loop.memory.bound - loop.memory.bound / 8)
  }

  /** Until no more than `enough` is held. */
  private def relieve(some: ArrayBuffer[ServedConnection], enough: Long): Unit = {
    val order = some.sortBy(c => -c.heldForPeer).iterator
    while (loop.memory.held > enough && order.hasNext) {
      counts.relieved += 1
      order.next().relieve()
    }
  }
}

private[server] object MemoryRelief {

  /** Who holds less than this is left alone, in bytes. */
  private final val Least = 512

  /** For how long peers are watched when memory was short, longer than any of them may stall then. */
  private final val Attention = 12L * 1000 * 1000 * 1000
}
