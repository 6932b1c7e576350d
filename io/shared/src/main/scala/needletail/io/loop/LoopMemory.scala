package needletail.io.loop

import java.util.IdentityHashMap

/**
 * Counts the memory that the connections of one loop hold for their peers, in bytes of arrays: unread input, pending
 * output, and what protocols add, such as bodies that they collect. Used on that loop only. It enforces nothing:
 * `setBound` takes what to do when the bound is exceeded.
 *
 * A quarter of the bound is reserved for holders of little, so that small messages proceed when large ones have to be
 * refused.
 */
private[needletail] final class LoopMemory {
  import LoopMemory.*

  private var total                                    = 0L
  private var kept                                     = 0L
  private var most                                     = Long.MaxValue
  private var onFull: Runnable                         = null
  private var lent: IdentityHashMap[Array[Byte], Lent] = null // created when first needed

  /** Of `held`, what cannot be reclaimed by closing the connections of peers that are stalled. */
  def fixed: Long = kept

  /** Counts `n` of the bytes that are held as `fixed`. A negative `n` takes them back. */
  def fix(n: Long): Unit = kept += n

  def held: Long  = total
  def bound: Long = most

  /** Sets how many bytes may be held in all; `onFull` is run by each call that exceeds it. */
  def setBound(bytes: Long, onFull: Runnable): Unit = {
    most = bytes
    this.onFull = onFull
  }

  /** How many bytes may be held before holders of much are refused. */
  def largeShare: Long = most - most / 4

  def isTight: Boolean = total > largeShare
  def isFull: Boolean  = total > most

  /** Whether `hasRoom` or `take` has returned false. Reset by the caller that reads it. */
  var hasDenied: Boolean = false

  /** Whether a holder of `already` bytes may hold `n` more. */
  def hasRoom(n: Long, already: Long): Boolean = {
    val has = total + n <= (if (already + n <= Small) most else largeShare)
    if (!has) hasDenied = true
    has
  }

  /** As `hasRoom`; if it returns true, the bytes are counted as held. */
  def take(n: Long, already: Long): Boolean = hasRoom(n, already) && {
    total += n
    true
  }

  /** Counts `n` bytes as held, regardless of the bound. A negative `n` releases. */
  def add(n: Long): Unit = {
    total += n
    if (n > 0 && total > most && (onFull ne null)) onFull.run()
  }

  def give(n: Long): Unit = total -= n

  /**
   * Counts an array that was handed over and waits to be written. It counts once, on however many connections it
   * waits, as all share it; and it counts for a quarter of the bound at most.
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

  /**
   * Whether the array may be lent where its holder can go without: it is held already, or there is room beside what is
   * reserved.
   */
  def mayLend(bytes: Array[Byte]): Boolean =
    (lent ne null) && lent.containsKey(bytes) || hasRoom(
      math.min(bytes.length.toLong, most / 4),
      Small.toLong
    )

  /** The array waits on one connection fewer. */
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

  /** A holder of at most this many bytes holds little. */
  final val Small = 16 * 1024

  private final class Lent(val size: Long) {
    var times = 1
  }
}
