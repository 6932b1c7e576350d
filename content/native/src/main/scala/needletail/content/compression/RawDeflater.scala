package needletail.content.compression

import scala.scalanative.libc.stdlib
import scala.scalanative.unsafe._
import scala.scalanative.unsigned._

/**
 * Raw deflate data (RFC 1951), by Zlib. For one thread at a time; `end` frees its memory. Not by `java.util.zip.Deflater`,
 * which ignores the flush that it is asked for.
 */
private[compression] final class RawDeflater(val level: Int) {
  import RawDeflater._
  private val stream                          = create(level)
  private val nextIn                          = stream.asInstanceOf[Ptr[Ptr[Byte]]]
  private val availableIn                     = (stream + 8).asInstanceOf[Ptr[UInt]]
  private val nextOut                         = (stream + 24).asInstanceOf[Ptr[Ptr[Byte]]]
  private val availableOut                    = (stream + 32).asInstanceOf[Ptr[UInt]]
  private[compression] var input: Array[Byte] = nothing // kept, as zlib has its address
  private var isLast                          = false
  private var isFinished                      = false

  /** Bytes to compress; all before have been. They must not change until `deflate` returns less than it could. */
  def setInput(bytes: Array[Byte], from: Int, length: Int): Unit = {
    input = if (length == 0) nothing else bytes
    !nextIn = if (length == 0) nothing.at(0) else bytes.at(from)
    !availableIn = length.toUInt
  }

  /** Writes what there is room for; returns how much. With `flush`, all that has been put in can be decompressed. */
  def deflate(out: Array[Byte], at: Int, length: Int, flush: Boolean): Int =
    if (length == 0 || isFinished) 0
    else {
      !nextOut = out.at(at)
      !availableOut = length.toUInt
      val how    = if (isLast) Finish else if (flush) SyncFlush else NoFlush
      val status = Zlib.deflate(stream, how)
      if (status == StreamEnd) isFinished = true
      else if (status != Ok && status != BufferError)
        throw new IllegalStateException(s"zlib failed with $status")
      length - (!availableOut).toInt
    }

  /** No more input comes. */
  def finish(): Unit = isLast = true

  def finished: Boolean = isFinished

  /** For another content. */
  def reset(): Unit = {
    Zlib.deflateReset(stream)
    input = nothing
    !availableIn = 0.toUInt
    isLast = false
    isFinished = false
  }

  def end(): Unit = {
    Zlib.deflateEnd(stream)
    stdlib.free(stream)
  }
}

/** Zlib.h. */
@link("z")
@extern
private object Zlib {
  def zlibVersion(): CString                        = extern
  def deflate(stream: Ptr[Byte], flush: CInt): CInt = extern
  def deflateReset(stream: Ptr[Byte]): CInt         = extern
  def deflateEnd(stream: Ptr[Byte]): CInt           = extern
  def deflateInit2_(
      stream: Ptr[Byte],
      level: CInt,
      method: CInt,
      windowBits: CInt,
      memLevel: CInt,
      strategy: CInt,
      version: CString,
      streamSize: CInt
  ): CInt = extern
}

private[compression] object RawDeflater {
  private final val NoFlush     = 0
  private final val SyncFlush   = 2
  private final val Finish      = 4
  private final val Ok          = 0
  private final val StreamEnd   = 1
  private final val BufferError = -5  // nothing to do
  private final val Deflated    = 8
  private final val StreamSize  = 112 // of z_stream, on systems with addresses of 64 bits

  private val nothing = new Array[Byte](1)

  private def create(level: Int): Ptr[Byte] = {
    val stream = stdlib.calloc(1.toUSize, StreamSize.toUSize)
    if (stream == null) throw new OutOfMemoryError("zlib")
    // negative window bits: raw data; 8 is zlib's usual memory level
    val status = Zlib.deflateInit2_(stream, level, Deflated, -15, 8, 0, Zlib.zlibVersion(), StreamSize)
    if (status != Ok) {
      stdlib.free(stream)
      throw new OutOfMemoryError(s"zlib failed with $status")
    }
    stream
  }
}
