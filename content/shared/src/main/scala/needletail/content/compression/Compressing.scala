package needletail.content.compression

import java.util.Arrays

import scala.annotation.tailrec
import scala.util.{Failure, Success, Try}

import needletail.async.{Async, Survivable}
import needletail.http.ByteStream

/**
 * A compressed stream. It is flushed when the source has nothing ready, so that a client sees what a
 * handler has sent so far.
 *
 * @param most streams that may be compressed at the same time; one more is sent in the same format, but uncompressed
 */
private[compression] final class Compressing(source: ByteStream, coding: String, level: Int, most: Int)
    extends ByteStream {
  import Compressing._
  private var encoder: Encoder                        = null // null before the first piece and after the end
  private var over                                    = false
  private var outstanding: Async[Option[Array[Byte]]] = null
  private var unflushed                               = false
  private var out: Array[Byte]                        = null // the same
  private var length                                  = 0

  def next(): Async[Option[Array[Byte]]] = if (over) end else proceed(0, 0)

  @tailrec
  private def proceed(taken: Int, pieces: Int): Async[Option[Array[Byte]]] = {
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
        else if (taken + piece.length > Turn || pieces == TurnPieces) Async.yieldNow.flatMap(_ => next())
        else proceed(taken + piece.length, pieces + 1)
      }
    }
  }

  private val resumed: Try[Option[Array[Byte]]] => Async[Option[Array[Byte]]] = {
    case Success(_) => next()
    case Failure(e) => // it is the source's, unless this was withdrawn
      if (outstanding == null || !outstanding.isCompleted) Async.fail(e) else next()
  }

  private def begin(): Unit = if (encoder == null) {
    encoder = Encoders.ofStream(coding, level, most)
    out = new Array[Byte](PieceSize)
  }

  private def add(piece: Array[Byte]): Unit = {
    begin()
    encoder.take(piece, 0, piece.length)
    drain(flush = false)
    unflushed = true
  }

  private def drain(flush: Boolean): Unit = {
    var more = true
    while (more) {
      if (out.length - length < 64) out = Arrays.copyOf(out, out.length * 2)
      length += encoder.encode(out, length, out.length - length, flush)
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
    encoder.finish()
    while (!encoder.isFinished) drain(flush = false)
    val last = emit()
    close()
    last
  }

  private def close(): Unit = {
    over = true
    out = null
    if (encoder != null) {
      encoder.close()
      encoder = null
    }
  }

  private[needletail] override def inMemory: Array[Byte] = source.inMemory

  def cancel(): Unit = if (!over) {
    if (outstanding != null) outstanding.cancel()
    close()
    try source.cancel()
    catch { case Survivable(e) => Async.unit.foreach(_ => throw e) }
  }
}

private[compression] object Compressing {
  final val PieceSize          = 16 * 1024
  private final val Turn       = 128 * 1024 // bytes of the source that are compressed in one turn
  private final val TurnPieces = 256        // pieces of it, as small and empty ones take time, too
  private val end: Async[Option[Array[Byte]]] = Async.value(None)

  /** A whole content, compressed at once. */
  def whole(content: Array[Byte], coding: String, level: Int): Array[Byte] = {
    val encoder = Encoders.of(coding, level, content.length)
    try {
      var out    = new Array[Byte](Math.max(256, content.length / 3))
      var length = 0
      encoder.take(content, 0, content.length)
      encoder.finish()
      while (!encoder.isFinished) {
        if (length == out.length) out = Arrays.copyOf(out, out.length * 2)
        length += encoder.encode(out, length, out.length - length, flush = false)
      }
      Arrays.copyOf(out, length)
    } finally encoder.close()
  }
}
