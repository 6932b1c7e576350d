package needletail.websocket.frame

/**
 * The content of a message that has not ended: it grows as bytes arrive, never beyond `maxMessage`, and `memory` counts
 * what it holds.
 */
private[frame] final class MessageBuffer(maxMessage: Int, memory: FrameReader.Memory) {
  import MessageBuffer._

  /** The content is the first `length` bytes. */
  var bytes: Array[Byte] = none
  var length: Int        = 0

  def free: Int = bytes.length - length

  /** No more fits in, however much memory there is. */
  def isFull: Boolean = length == maxMessage

  /**
   * Makes room for `count` bytes more: an announced length alone costs nothing. False if there is no memory for it.
   *
   * @param announced how many bytes are still to come of this frame
   * @param isLast whether the message ends with this frame
   */
  def makeRoom(count: Int, announced: Long, isLast: Boolean): Boolean = {
    val least = length + count
    least <= bytes.length || {
      // the whole frame at once if half of it is there
      val whole = length + announced
      val room  =
        if (isLast && whole <= 2L * least) whole.toInt
        else Math.min(
          Math.max(least, Math.min(2L * bytes.length, maxMessage.toLong)),
          if (isLast) whole else maxMessage.toLong
        ).toInt
      grow(room)
    }
  }

  /** Makes room where it is not known how much is to come, unless there is some. False if there is no memory for it. */
  def makeSomeRoom(): Boolean =
    free > 0 || isFull || grow(Math.min(Math.max(2L * length, Least), maxMessage.toLong).toInt)

  private def grow(room: Int): Boolean =
    memory.hold(room - bytes.length, bytes.length.toLong) && {
      bytes = java.util.Arrays.copyOf(bytes, room)
      true
    }

  /** The whole content, in an array for the caller; the buffer is empty afterwards. */
  def take(): Array[Byte] = {
    val content = if (bytes.length == length) bytes else java.util.Arrays.copyOf(bytes, length)
    drop()
    content
  }

  def drop(): Unit = {
    memory.release(bytes.length)
    bytes = none
    length = 0
  }
}

private object MessageBuffer {

  /** The first room for a compressed message. */
  private final val Least = 256L

  private val none = new Array[Byte](0)
}
