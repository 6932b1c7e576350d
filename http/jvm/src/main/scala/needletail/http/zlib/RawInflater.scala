package needletail.http.zlib

import java.util.zip.Inflater

/** Decompresses raw deflate data (RFC 1951), by the JDK's zlib. For one thread at a time; `end` frees its memory. */
private[needletail] final class RawInflater extends RawCoder {
  private val inflater = new Inflater(true)
  private var isEnded  = false
  Coders.made()

  /** Bytes to decompress; all before have been. They must not change until they have been used. */
  def setInput(bytes: Array[Byte], from: Int, length: Int): Unit = inflater.setInput(bytes, from, length)

  /** Bytes of the input that have not been used. */
  def remaining: Int = inflater.getRemaining

  /**
   * Writes what there is room for; returns how much: 0 if more input is needed, or the last block has ended. Throws
   * DataFormatException if the input is not deflate data.
   */
  def inflate(out: Array[Byte], at: Int, length: Int): Int = inflater.inflate(out, at, length)

  /** Whether the last block has ended. */
  def finished: Boolean = inflater.finished

  /** For other data. */
  def reset(): Unit = inflater.reset()

  /** What the data may refer to: the last `length` bytes before them, at most 32 KiB. */
  def setDictionary(bytes: Array[Byte], from: Int, length: Int): Unit =
    if (length > 0) inflater.setDictionary(bytes, from, length)

  /** Nothing else may be called afterwards, but for `end`, which has no effect then. */
  def end(): Unit = if (!isEnded) {
    isEnded = true
    inflater.end()
    Coders.ended()
  }
}
