package needletail.tcp

import needletail.io.loop.LoopMemory

/**
 * Finds the messages in a connection's input, which comes in windows: `begin` with what was read, `next` until there is
 * no message left, then `used` returns how far the window was consumed.
 *
 * The beginning of a short message stays in the window, that is, with the connection. The beginning of a long one is
 * collected here, in an array that doubles, so that a message of n bytes costs O(n) of copying. It counts as held
 * in the loop's memory.
 */
private[needletail] final class MessageReader[I](decoder: Decoder[I], maxMessage: Int, memory: LoopMemory) {
  import MessageReader.*

  private var bytes: Array[Byte] = null // the window
  private var until              = 0
  private var at                 = 0

  private var collected: Array[Byte] = null // the beginning of a long message
  private var count                  = 0
  private var lastCollected          = 0    // by the last call of `collect`

  /** A window of input: the rest of the last one, then new input. */
  def begin(bytes: Array[Byte], from: Int, until: Int): Unit = {
    this.bytes = bytes
    this.at = from
    this.until = until
  }

  /** How far the window is used. */
  def used: Int = at

  /** Whether the beginning of a message is here, or left in the window. */
  def isInside: Boolean = begun > 0

  /** How many bytes of it are. */
  def begun: Int = count + until - at

  /** Bytes of memory that the beginning of a long message holds here. */
  def held: Int = if (collected eq null) 0 else collected.length

  /** Ends the window, whose array is not used any more. */
  def end(): Unit = bytes = null

  /** Decodes the next message. Rethrows exceptions of the decoder. After `Bad`, the connection has to end. */
  def next(): Decoded[I] =
    if (at == until) Decoded.More
    else if (count > 0) { if (collect()) further() else noMemory }
    else
      checked(decoder.decode(bytes, at, until), at, until) match {
        case message @ Decoded.Message(_, n) =>
          val size = n - at
          at = n
          if (size > maxMessage) tooLong else message
        case Decoded.More =>
          val size = until - at
          if (size >= maxMessage) tooLong
          else if (size < Collect || collect()) Decoded.More
          else noMemory
        case bad => bad
      }

  /** The message had begun in an earlier window; the rest of this one has been collected. */
  private def further(): Decoded[I] =
    checked(decoder.decode(collected, 0, count), count - lastCollected, count) match {
      case message @ Decoded.Message(_, n) =>
        at = until - (count - n)
        release()
        if (n > maxMessage) tooLong else message
      case Decoded.More if count >= maxMessage => tooLong
      case other                               => other
    }

  /** Collects the rest of the window. Returns false if there is no memory for it. */
  private def collect(): Boolean = {
    lastCollected = until - at
    val size = count + lastCollected
    val has  = if (collected eq null) 0 else collected.length
    val fits = size <= has || {
      // a message within its limit, and bytes that may follow it in the window
      val grown = Math.max(size.toLong, Math.min(2L * size, maxMessage.toLong + lastCollected)).toInt
      memory.take((grown - has).toLong, has.toLong) && {
        val array = new Array[Byte](grown)
        if (has > 0) System.arraycopy(collected, 0, array, 0, count)
        collected = array
        true
      }
    }
    if (fits) {
      System.arraycopy(bytes, at, collected, count, lastCollected)
      count = size
      at = until
    }
    fits
  }

  /** Drops the collected bytes, at the end of a connection. */
  def release(): Unit = if (collected ne null) {
    memory.give(collected.length.toLong)
    collected = null
    count = 0
  }

  private def checked(decoded: Decoded[I], after: Int, most: Int): Decoded[I] = decoded match {
    case Decoded.Message(_, n) if n <= after || n > most =>
      throw new IllegalStateException(
        s"the decoder returned a message that ends before index $n, where only ${after + 1} to $most is possible"
      )
    case null  => throw new IllegalStateException("the decoder returned null")
    case other => other
  }

  private def tooLong: Decoded[Nothing]  = Decoded.Bad(s"the message is longer than $maxMessage bytes")
  private def noMemory: Decoded[Nothing] = Decoded.Bad("there is no memory left for a message of that size")
}

private[needletail] object MessageReader {

  /** From this many bytes on the beginning of a message is collected; less than a connection keeps of its input. */
  final val Collect = 16 * 1024
}
