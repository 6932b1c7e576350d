package needletail.websocket.frame

import java.util.ArrayList

/**
 * The content of a message that has not ended: it grows as bytes arrive, never beyond `maxMessage`, and `memory` counts
 * what it holds. A long one is kept in pieces of one size until it ends: arrays of ever more bytes would leave gaps of
 * all sizes in a heap whose collector moves nothing, as those of Scala Native (decision 18).
 */
private[frame] final class MessageBuffer(maxMessage: Int, memory: FrameReader.Memory) {
  import MessageBuffer._

  /** The piece that is filled now: its first `filled` bytes are content. */
  var piece: Array[Byte] = none
  var filled: Int        = 0

  private val full   = new ArrayList[Array[Byte]](0) // the pieces before it
  private var before = 0                             // bytes in them

  def length: Int = before + filled

  /** Bytes that it takes. */
  def held: Int = before + piece.length

  def free: Int = piece.length - filled

  /** No more fits in, however much memory there is. */
  def isFull: Boolean = length == maxMessage

  /**
   * Makes room for some of `count` bytes more, unless there is some: an announced length alone costs nothing. False if
   * there is no memory for it.
   *
   * @param announced how many bytes are still to come of this frame
   * @param isLast whether the message ends with this frame
   */
  def makeRoom(count: Int, announced: Long, isLast: Boolean): Boolean = free > 0 || {
    // all that is still to come at once if half of it is there
    val whole = length + announced
    if (isLast && whole <= 2L * (length + count)) resize(whole.toInt)
    else grow(Math.max(count, 2 * piece.length), if (isLast) whole else maxMessage.toLong)
  }

  /** Makes room where it is not known how much is to come, unless there is some. False if there is no memory for it. */
  def makeSomeRoom(): Boolean =
    free > 0 || isFull || grow(Math.max(Least, 2 * piece.length), maxMessage.toLong)

  /** The first piece grows to `size` bytes, up to a whole piece; then another one begins. No more than `most` in all. */
  private def grow(size: Int, most: Long): Boolean =
    if (before == 0 && piece.length < Piece) resize(Math.min(Math.min(size, Piece).toLong, most).toInt)
    else {
      val next = Math.min(Piece.toLong, most - length).toInt
      memory.hold(next, held.toLong) && {
        full.add(piece)
        before += piece.length
        piece = new Array[Byte](next)
        filled = 0
        true
      }
    }

  /** Has the whole content in one piece of `size` bytes. */
  private def resize(size: Int): Boolean =
    memory.hold(size - held, held.toLong) && {
      val length = this.length
      piece = joined(size)
      forget()
      filled = length
      true
    }

  private def joined(size: Int): Array[Byte] =
    if (before == 0) java.util.Arrays.copyOf(piece, size)
    else {
      val all = new Array[Byte](size)
      var at  = 0
      var i   = 0
      while (i < full.size) {
        val one = full.get(i)
        System.arraycopy(one, 0, all, at, one.length)
        at += one.length
        i += 1
      }
      System.arraycopy(piece, 0, all, at, filled)
      all
    }

  private def forget(): Unit = {
    full.clear()
    before = 0
  }

  /**
   * The whole content, in an array for the caller; the buffer is empty afterwards. Null if there is no memory for the array
   * beside what is held.
   */
  def take(): Array[Byte] =
    if (before == 0 && piece.length == filled) {
      val content = piece
      drop()
      content
    } else {
      val length = this.length
      if (!memory.hold(length, held.toLong)) null
      else {
        val content = joined(length)
        memory.release(length)
        drop()
        content
      }
    }

  def drop(): Unit = {
    memory.release(held)
    forget()
    piece = none
    filled = 0
  }
}

private object MessageBuffer {

  /** The first room for a compressed message. */
  private final val Least = 256

  /** A piece of a long message. With its header it takes 32 KiB, a block of Scala Native's collectors. */
  private final val Piece = 32 * 1024 - 64

  private val none = new Array[Byte](0)
}
