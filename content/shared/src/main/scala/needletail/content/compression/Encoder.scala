package needletail.content.compression

/**
 * Compresses one content. For one thread at a time, on any; `close` must be called once.
 */
private[compression] abstract class Encoder {

  /** Bytes to compress; all before have been. They must not change until `encode` returns less than it could. */
  def take(bytes: Array[Byte], from: Int, length: Int): Unit

  /**
   * Writes what there is room for; returns how much. With `flush`, all that has been taken can be decompressed once it
   * returns less than it could.
   */
  def encode(out: Array[Byte], at: Int, room: Int, flush: Boolean): Int

  /** No more input comes. */
  def finish(): Unit

  /** Whether everything has been written. */
  def isFinished: Boolean

  def close(): Unit
}

private[compression] object Encoder {

  /**
   * Bytes that what is written may refer back to, as a power of two, for codings that have a choice: a compressed
   * stream holds some times as much.
   */
  final val Window = 18
}
