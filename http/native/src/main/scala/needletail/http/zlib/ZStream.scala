package needletail.http.zlib

import scala.scalanative.libc.stdlib
import scala.scalanative.unsafe._
import scala.scalanative.unsigned._

/** A `z_stream` of raw data with its input and output. For one thread at a time. */
private[zlib] final class ZStream(init: Ptr[Byte] => CInt) {
  import ZStream._

  val address: Ptr[Byte] = {
    val stream = stdlib.calloc(1.toUSize, StreamSize.toUSize)
    if (stream == null) throw new OutOfMemoryError("zlib")
    val status = init(stream)
    if (status != Ok) {
      stdlib.free(stream)
      throw new OutOfMemoryError(s"zlib failed with $status")
    }
    stream
  }
  private val nextIn       = address.asInstanceOf[Ptr[Ptr[Byte]]]
  private val availableIn  = (address + 8).asInstanceOf[Ptr[UInt]]
  private val nextOut      = (address + 24).asInstanceOf[Ptr[Ptr[Byte]]]
  private val availableOut = (address + 32).asInstanceOf[Ptr[UInt]]

  private[zlib] var input: Array[Byte] = nothing // kept, as zlib has its address
  private var isEnded                  = false
  Coders.made()

  /** Bytes of the input that have not been used. */
  def remaining: Int = (!availableIn).toInt

  def setInput(bytes: Array[Byte], from: Int, length: Int): Unit = {
    input = if (length == 0) nothing else bytes
    !nextIn = if (length == 0) nothing.at(0) else bytes.at(from)
    !availableIn = length.toUInt
  }

  /** Sets where output goes; `length` must be positive. */
  def setOutput(out: Array[Byte], at: Int, length: Int): Unit = {
    !nextOut = out.at(at)
    !availableOut = length.toUInt
  }

  /** Bytes of room for output that have not been used. */
  def room: Int = (!availableOut).toInt

  /** Frees the memory: by `end` of zlib, the first time. */
  def end(how: Ptr[Byte] => CInt): Unit = if (!isEnded) {
    isEnded = true
    how(address)
    stdlib.free(address)
    Coders.ended()
  }
}

private[zlib] object ZStream {
  final val StreamSize  = 112 // on systems with addresses of 64 bits
  final val Raw         = -15 // window bits: no header, and the largest window
  final val NoFlush     = 0
  final val SyncFlush   = 2
  final val Finish      = 4
  final val Ok          = 0
  final val StreamEnd   = 1
  final val MemoryError = -4
  final val BufferError = -5  // nothing to do

  private val nothing = new Array[Byte](1)
}

/** Zlib.h. */
@link("z")
@extern
private[zlib] object Zlib {
  def zlibVersion(): CString                                                                     = extern
  def deflate(stream: Ptr[Byte], flush: CInt): CInt                                              = extern
  def deflateReset(stream: Ptr[Byte]): CInt                                                      = extern
  def deflateEnd(stream: Ptr[Byte]): CInt                                                        = extern
  def inflateInit2_(stream: Ptr[Byte], bits: CInt, version: CString, size: CInt): CInt           = extern
  def inflate(stream: Ptr[Byte], flush: CInt): CInt                                              = extern
  def inflateReset(stream: Ptr[Byte]): CInt                                                      = extern
  def inflateSetDictionary(stream: Ptr[Byte], dictionary: Ptr[Byte], length: CUnsignedInt): CInt = extern
  def inflateEnd(stream: Ptr[Byte]): CInt                                                        = extern
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
