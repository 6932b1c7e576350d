package needletail.http.zlib

import needletail.http.zlib.ZStream._

/**
 * Raw deflate data (RFC 1951), by zlib. For one thread at a time; `end` frees its memory. Not by `java.util.zip.Deflater`,
 * which ignores requests to flush.
 */
private[needletail] final class RawDeflater(val level: Int) extends RawCoder {
  private val stream = new ZStream(
    Zlib.deflateInit2_(
      _,
      level,
      RawDeflater.Deflated,
      Raw,
      RawDeflater.MemLevel,
      0,
      Zlib.zlibVersion(),
      StreamSize
    )
  )
  private var isLast     = false
  private var isFinished = false

  /** Bytes to compress; all before have been. They must not change until `deflate` returns less than it could. */
  def setInput(bytes: Array[Byte], from: Int, length: Int): Unit = stream.setInput(bytes, from, length)

  /** Writes as much as fits; returns the number of bytes. With `flush`, all input so far can be decompressed. */
  def deflate(out: Array[Byte], at: Int, length: Int, flush: Boolean): Int =
    if (length == 0 || isFinished) 0
    else {
      stream.setOutput(out, at, length)
      val status = Zlib.deflate(stream.address, if (isLast) Finish else if (flush) SyncFlush else NoFlush)
      if (status == StreamEnd) isFinished = true
      else if (status != Ok && status != BufferError)
        throw new IllegalStateException(s"zlib failed with $status")
      length - stream.room
    }

  /** No more input comes. */
  def finish(): Unit = isLast = true

  def finished: Boolean = isFinished

  /** For another content. */
  def reset(): Unit = {
    Zlib.deflateReset(stream.address)
    stream.setInput(null, 0, 0)
    isLast = false
    isFinished = false
  }

  /** Nothing else may be called afterwards, but for `end`, which has no effect then. */
  def end(): Unit = stream.end(Zlib.deflateEnd(_))
}

private object RawDeflater {
  private final val Deflated = 8
  private final val MemLevel = 8 // the usual one
}
