package needletail.io

import java.util.IdentityHashMap

/**
 * The memory that the connections of one loop hold for their peers, in bytes of arrays: what was read and is not used
 * yet, what waits to be written, and what protocols put down here themselves, such as bodies that are collected.
 * Used on that loop only; it counts, and who sets its bound decides what follows.
 *
 * A quarter of the bound is left to those who hold little, so that small messages go on when large ones have to be
 * refused.
 */
private[needletail] final class LoopMemory {
  import LoopMemory.*

  private var total                                    = 0L
  private var most                                     = Long.MaxValue
  private var onFull: Runnable                         = null
  private var lent: IdentityHashMap[Array[Byte], Lent] = null // made when first needed

  def held: Long  = total
  def bound: Long = most

  /** What may be held in all; `onFull` is run in the midst of what exceeds it, as often as that happens. */
  def setBound(bytes: Long, onFull: Runnable): Unit = {
    most = bytes
    this.onFull = onFull
  }

  /** What those who hold much may hold together. */
  def largeShare: Long = most - most / 4

  def isTight: Boolean = total > largeShare
  def isFull: Boolean  = total > most

  /** Has anybody been denied any? Until whoever wants to know of the next says that it is false. */
  var hasDenied: Boolean = false

  /** May who holds `already` hold `n` more? */
  def hasRoom(n: Long, already: Long): Boolean = {
    val has = total + n <= (if (already + n <= Small) most else largeShare)
    if (!has) hasDenied = true
    has
  }

  /** The same, and it does then. */
  def take(n: Long, already: Long): Boolean = hasRoom(n, already) && {
    total += n
    true
  }

  /** What is held in any case; below 0 where it is no more. */
  def add(n: Long): Unit = {
    total += n
    if (n > 0 && total > most && (onFull ne null)) onFull.run()
  }

  def give(n: Long): Unit = total -= n

  /**
   * An array that was handed over waits to be written. It counts once, on however many connections it waits: many may
   * be sent the same one, which the program has anyway. And none counts for more than a quarter of the bound.
   */
  def lend(bytes: Array[Byte]): Unit = {
    if (lent eq null) lent = new IdentityHashMap
    val known = lent.get(bytes)
    if (known ne null) known.times += 1
    else {
      val size = math.min(bytes.length.toLong, most / 4)
      lent.put(bytes, new Lent(size))
      add(size)
    }
  }

  /** It waits on one connection less. */
  def giveBack(bytes: Array[Byte]): Unit = {
    val known = lent.get(bytes)
    known.times -= 1
    if (known.times == 0) {
      lent.remove(bytes)
      give(known.size)
    }
  }
}

private[needletail] object LoopMemory {

  /** Who holds no more than this holds little, in bytes. */
  final val Small = 16 * 1024

  private final class Lent(val size: Long) {
    var times = 1
  }
}
