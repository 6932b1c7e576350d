package needletail.http.zlib

import java.util.zip.Deflater

/** Raw deflate data (RFC 1951), by the JDK's zlib. For one thread at a time; `end` frees its memory. */
private[needletail] final class RawDeflater(val level: Int) extends RawCoder {
  private val deflater = new Deflater(level, true)
  private var isEnded  = false
  Coders.made()

  /** Bytes to compress; all before have been. They must not change until `deflate` returns less than it could. */
  def setInput(bytes: Array[Byte], from: Int, length: Int): Unit = deflater.setInput(bytes, from, length)

  /** Writes as much as fits; returns the number of bytes. With `flush`, all input so far can be decompressed. */
  def deflate(out: Array[Byte], at: Int, length: Int, flush: Boolean): Int =
    deflater.deflate(out, at, length, if (flush) Deflater.SYNC_FLUSH else Deflater.NO_FLUSH)

  /** No more input comes. */
  def finish(): Unit = deflater.finish()

  def finished: Boolean = deflater.finished

  /** For another content. */
  def reset(): Unit = deflater.reset()

  /** Nothing else may be called afterwards, but for `end`, which has no effect then. */
  def end(): Unit = if (!isEnded) {
    isEnded = true
    deflater.end()
    Coders.ended()
  }
}
