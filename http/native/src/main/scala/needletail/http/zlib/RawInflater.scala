package needletail.http.zlib

import java.util.zip.DataFormatException

import scala.scalanative.unsafe._
import scala.scalanative.unsigned._

import needletail.http.zlib.ZStream._

/**
 * Decompresses raw deflate data (RFC 1951), by zlib. For one thread at a time; `end` frees its memory. Not by
 * `java.util.zip.Inflater`, which may keep output back once it has used its input.
 */
private[needletail] final class RawInflater extends RawCoder {
  private val stream     = new ZStream(Zlib.inflateInit2_(_, Raw, Zlib.zlibVersion(), StreamSize))
  private var isFinished = false

  /** Bytes to decompress; all before have been. They must not change until they have been used. */
  def setInput(bytes: Array[Byte], from: Int, length: Int): Unit = stream.setInput(bytes, from, length)

  /** Bytes of the input that have not been used. */
  def remaining: Int = stream.remaining

  /**
   * Writes what there is room for; returns how much: 0 if more input is needed, or the last block has ended. Throws
   * DataFormatException if the input is not deflate data.
   */
  def inflate(out: Array[Byte], at: Int, length: Int): Int =
    if (length == 0 || isFinished) 0
    else {
      stream.setOutput(out, at, length)
      Zlib.inflate(stream.address, NoFlush) match {
        case Ok | BufferError => ()
        case StreamEnd        => isFinished = true
        case MemoryError      => throw new OutOfMemoryError("zlib")
        case _                => throw new DataFormatException("no deflate data")
      }
      length - stream.room
    }

  /** Whether the last block has ended. */
  def finished: Boolean = isFinished

  /** For other data. */
  def reset(): Unit = {
    Zlib.inflateReset(stream.address)
    stream.setInput(null, 0, 0)
    isFinished = false
  }

  /** What the data may refer to: the last `length` bytes before them, at most 32 KiB. */
  def setDictionary(bytes: Array[Byte], from: Int, length: Int): Unit =
    if (length > 0) { val _ = Zlib.inflateSetDictionary(stream.address, bytes.at(from), length.toUInt) }

  /** Nothing else may be called afterwards, but for `end`, which has no effect then. */
  def end(): Unit = stream.end(Zlib.inflateEnd(_))
}
