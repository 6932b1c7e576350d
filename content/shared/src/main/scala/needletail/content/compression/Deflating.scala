package needletail.content.compression

import java.util.Arrays
import java.util.zip.{Adler32, CRC32, Checksum}

import scala.annotation.tailrec
import scala.util.{Failure, Success, Try}

import needletail.async.{Async, Survivable}
import needletail.http.ByteStream
import needletail.http.zlib.{Deflaters, RawDeflater}

/**
 * A stream compressed as gzip (RFC 1952) or zlib (RFC 1950), which is what the coding "deflate" is. What has been read is
 * passed on when the source has nothing ready, so that a client sees what a handler has sent so far.
 */
private[compression] final class Deflating(source: ByteStream, coding: String, level: Int)
    extends ByteStream {
  import Deflating._
  private var format: Format                          = null // null before the first piece and after the end
  private var begun                                   = false
  private var over                                    = false
  private var outstanding: Async[Option[Array[Byte]]] = null
  private var unflushed                               = false
  private var out                                     = new Array[Byte](PieceSize)
  private var length                                  = 0

  def next(): Async[Option[Array[Byte]]] = if (over) end else proceed(0)

  @tailrec
  private def proceed(taken: Int): Async[Option[Array[Byte]]] = {
    val asked  = if (outstanding != null) outstanding else source.next()
    val result = asked.resultOrNull
    if (result == null) {
      outstanding = asked
      if (unflushed) {
        unflushed = false
        drain(flush = true)
      }
      if (length > 0) emit() else asked.shield.transform(resumed)
    } else {
      outstanding = null
      if (!result.isValue) {
        close()
        Async.fail(result.error)
      } else if (result.value.isEmpty) finish()
      else {
        val piece = result.value.get
        add(piece)
        if (length >= PieceSize) emit()
        else if (taken + piece.length > Turn) Async.yieldNow.flatMap(_ => next())
        else proceed(taken + piece.length)
      }
    }
  }

  private val resumed: Try[Option[Array[Byte]]] => Async[Option[Array[Byte]]] = {
    case Success(_) => next()
    case Failure(e) => // it is the source's, unless this was withdrawn
      if (outstanding == null || !outstanding.isCompleted) Async.fail(e) else next()
  }

  private def begin(): Unit = if (!begun) {
    begun = true
    format = new Format(coding, level)
    length = format.header(out)
  }

  private def add(piece: Array[Byte]): Unit = {
    begin()
    format.take(piece, 0, piece.length)
    drain(flush = false)
    unflushed = true
  }

  private def drain(flush: Boolean): Unit = {
    var more = true
    while (more) {
      if (out.length - length < 64) out = Arrays.copyOf(out, out.length * 2)
      val count = format.deflater.deflate(out, length, out.length - length, flush)
      length += count
      more = length == out.length
    }
  }

  private def emit(): Async[Option[Array[Byte]]] = {
    val piece = Arrays.copyOf(out, length)
    length = 0
    Async.value(Some(piece))
  }

  private def finish(): Async[Option[Array[Byte]]] = {
    begin()
    format.deflater.finish()
    while (!format.deflater.finished) drain(flush = false)
    if (out.length - length < 8) out = Arrays.copyOf(out, out.length + 8)
    length += format.trailer(out, length)
    val last = emit()
    close()
    last
  }

  private def close(): Unit = {
    over = true
    out = null
    if (format != null) {
      Deflaters.give(format.deflater)
      format = null
    }
  }

  def cancel(): Unit = if (!over) {
    if (outstanding != null) outstanding.cancel()
    close()
    try source.cancel()
    catch { case Survivable(e) => Async.unit.foreach(_ => throw e) }
  }
}

private[compression] object Deflating {
  final val PieceSize                         = 16 * 1024
  private final val Turn                      = 128 * 1024
  private val end: Async[Option[Array[Byte]]] = Async.value(None)

  /** A whole content, compressed at once. */
  def whole(content: Array[Byte], coding: String, level: Int): Array[Byte] = {
    val format = new Format(coding, level)
    try {
      var out    = new Array[Byte](Math.max(256, content.length / 3))
      var length = format.header(out)
      format.take(content, 0, content.length)
      format.deflater.finish()
      while (!format.deflater.finished) {
        if (length == out.length) out = Arrays.copyOf(out, out.length * 2)
        length += format.deflater.deflate(out, length, out.length - length, flush = false)
      }
      val all = Arrays.copyOf(out, length + format.trailerLength)
      format.trailer(all, length)
      all
    } finally Deflaters.give(format.deflater)
  }

  /** The bytes around raw deflate data. */
  final class Format(coding: String, level: Int) {
    private val isGzip             = coding == "gzip"
    private val checksum: Checksum = if (isGzip) new CRC32 else new Adler32
    private var size               = 0L
    val deflater: RawDeflater      = Deflaters.take(level)

    def trailerLength: Int = if (isGzip) 8 else 4

    /** Writes the header at the begin of `out`; returns its length. */
    def header(out: Array[Byte]): Int =
      if (isGzip) {
        out(0) = 0x1f
        out(1) = 0x8b.toByte
        out(2) = 8
        out(9) = 0xff.toByte // unknown system
        10
      } else {
        out(0) = 0x78
        out(1) = 0x9c.toByte
        2
      }

    def take(bytes: Array[Byte], from: Int, length: Int): Unit = {
      checksum.update(bytes, from, length)
      size += length
      deflater.setInput(bytes, from, length)
    }

    /** Writes the trailer; returns its length. */
    def trailer(out: Array[Byte], at: Int): Int = {
      val sum = checksum.getValue
      if (isGzip) {
        for (i <- 0 until 4) {
          out(at + i) = (sum >>> (8 * i)).toByte
          out(at + 4 + i) = (size >>> (8 * i)).toByte
        }
        8
      } else {
        for (i <- 0 until 4) out(at + i) = (sum >>> (24 - 8 * i)).toByte
        4
      }
    }
  }
}
