package needletail.io

import needletail.io.loop.LoopMemory

/**
 * Output that the kernel has not taken yet, in order: arrays that were handed over, and copies of small or borrowed
 * ones, joined. A connection has one only while something is pending.
 */
private[io] final class PendingOutput(memory: LoopMemory) {
  import PendingOutput.*

  private var first: Chunk = null
  private var last: Chunk  = null
  private var total        = 0

  /** Bytes pending. */
  def size: Int = total

  // The first chunk; only if size is above 0.
  def firstArray: Array[Byte] = first.bytes
  def firstFrom: Int          = first.from
  def firstCount: Int         = first.until - first.from

  /** Appends bytes. With `mayKeep` the array is handed over and need not be copied. */
  def add(bytes: Array[Byte], from: Int, count: Int, mayKeep: Boolean): Unit = {
    total = Math.addExact(total, count)
    if (mayKeep && count > CopyBelow) append(new Chunk(bytes, from, from + count, own = false))
    else {
      if ((last eq null) || !last.own || last.bytes.length - last.until < count) {
        // Twice the size so far, so that many small writes make few chunks.
        val size = math.max(count, math.min(MaxChunk, math.max(MinChunk, total)))
        append(new Chunk(new Array[Byte](size), 0, 0, own = true))
      }
      System.arraycopy(bytes, from, last.bytes, last.until, count)
      last.until += count
    }
  }

  /** Removes the first `n` bytes, which have been written; at most `firstCount`. */
  def taken(n: Int): Unit = {
    total -= n
    first.from += n
    if (first.from == first.until) {
      giveBack(first)
      first = first.next
      if (first eq null) last = null
    }
  }

  /** Drops everything. */
  def drop(): Unit = while (first ne null) {
    giveBack(first)
    first = first.next
  }

  private def giveBack(chunk: Chunk): Unit =
    if (chunk.own) memory.give(chunk.bytes.length) else memory.giveBack(chunk.bytes)

  private def append(chunk: Chunk): Unit = {
    if (chunk.own) memory.add(chunk.bytes.length) else memory.lend(chunk.bytes)
    if (last eq null) first = chunk else last.next = chunk
    last = chunk
  }
}

private[io] object PendingOutput {
  private final val CopyBelow =
    1024 // copying this much is cheaper than another chunk, which costs a system call
  private final val MinChunk = 1024
  private final val MaxChunk = 64 * 1024

  private final class Chunk(val bytes: Array[Byte], var from: Int, var until: Int, val own: Boolean) {
    var next: Chunk = null
  }
}
