package needletail.server.connection

import scala.collection.mutable.ArrayBuffer

import needletail.async.Survivable
import needletail.io.EventLoop
import needletail.io.platform.Fallible
import needletail.server.operations.LoopCounts

/**
 * Keeps the memory that one loop's connections hold for their peers below its bound, so that stalled peers cannot use
 * up all of it. When memory is short, it is reclaimed from stalled connections, those that hold most first. When it is
 * full, also from connections that are not stalled; as bodies are refused before that, this takes many peers that read
 * nothing. If it is full even then, connections end whose handlers are at work, but which TLS holds parts of records
 * for: nobody is asked for room for these.
 *
 * Nothing waits for memory: it is granted or refused at once, so there are no deadlocks.
 *
 * @param bytes the bound
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
        loop.runNext(this)
      }
  )

  /** To be called about ten times a second: whether a peer is stalled is found by observing it. */
  def look(): Unit = {
    val now = loop.platform.nanoTime()
    if (loop.memory.isTight || loop.memory.hasDenied) {
      loop.memory.hasDenied = false
      looksUntil = now + Attention
    }
    if (now - looksUntil < 0) relieve()
  }

  /**
   * Runs when memory has become full, before the next connection's turn: thousands of them can be ready at once, and
   * each may add to what is held.
   */
  def run(): Unit = {
    asked = false
    relieve()
  }

  private def relieve(): Unit = {
    val now     = loop.platform.nanoTime()
    val stalled = ArrayBuffer.empty[HeldMemory]
    val moving  = ArrayBuffer.empty[HeldMemory]
    val sort    = (some: HeldMemory) =>
      if (some.heldForPeer >= Least) {
        if (some.isStalled(now)) stalled += some else moving += some
        ()
      }
    connections.foreach(_.eachHeld(sort))
    reclaim(
      stalled,
      (loop.memory.bound + loop.memory.fixed) / 2
    )(_.heldForPeer)(_.relieve()) // half of what can be
    val most = loop.memory.bound - loop.memory.bound / 8
    if (loop.memory.isFull) reclaim(moving, most)(_.heldForPeer)(_.relieve())
    if (loop.memory.isFull) {
      val partly = ArrayBuffer.empty[ServedConnection]
      connections.foreach { c => if (c.connection.undecryptedBytes >= Least) { partly += c; () } }
      reclaim(partly, most)(_.connection.undecryptedBytes.toLong)(_.connection.abort())
    }
  }

  /** Reclaims memory, of those that hold most first, until no more than `enough` bytes are held. */
  private def reclaim[A](some: ArrayBuffer[A], enough: Long)(of: A => Long)(from: A => Unit): Unit = {
    val order = some.sortBy(c => -of(c)).iterator
    while (loop.memory.held > enough && order.hasNext) {
      val next = order.next()
      if (of(next) >= Least) {
        counts.relieved += 1
        try from(next)
        catch { case Survivable(e) => failed(next, e) }
      }
    }
  }

  /** It has failed to release what it holds: it ends, and the others are relieved. */
  private def failed(some: Any, cause: Throwable): Unit = {
    loop.report("a connection could not release memory", cause)
    some match {
      case its: Fallible         => its.failed(cause)
      case its: ServedConnection => its.connection.abort()
      case _                     => ()
    }
  }
}

private[server] object MemoryRelief {

  /** Connections that hold fewer bytes are skipped. */
  private final val Least = 512

  /** How long peers are observed after memory was short, in nanoseconds; longer than any of them may stall. */
  private final val Attention = 12L * 1000 * 1000 * 1000
}
