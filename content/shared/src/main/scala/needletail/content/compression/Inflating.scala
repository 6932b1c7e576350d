package needletail.content.compression

import java.util.zip.{CRC32, DataFormatException, Inflater}

import scala.util.control.NonFatal
import scala.util.{Failure, Success, Try}

import needletail.async.Async
import needletail.http.message.HttpError
import needletail.http.{ByteStream, Status}

/**
 * The content of a stream that is compressed as gzip (RFC 1952) or zlib (RFC 1950), in pieces of at most 16 KB. Fails
 * with HttpError 400 if it is malformed or incomplete, and with 413 beyond `limits`.
 *
 * @param isEmptyAllowed whether a source without any bytes is an empty content
 */
private[compression] final class Inflating(
    source: ByteStream,
    isGzip: Boolean,
    limits: DecodingLimits,
    isEmptyAllowed: Boolean = false,
    newInflater: Boolean => Inflater = new Inflater(_)
) extends ByteStream {
  import Inflating._
  // both are null until something is read; a gzip member has its own header around raw data
  private var inflater: Inflater  = null
  private var buffer: Array[Byte] = null
  private val checksum            = new CRC32

  private var input   = new Array[Byte](0)
  private var from    = 0
  private var state   = if (isGzip) AtHeader else InData
  private var header  = new GzipHeader
  private var trailer = 0L    // bytes of the trailer that have been read
  private var sum     = 0L    // what it says
  private var read    = 0L
  private var written = 0L
  private var over    = false
  private var isLost  = false // given up before its end

  def next(): Async[Option[Array[Byte]]] = {
    if (inflater == null && !over) {
      inflater = newInflater(isGzip)
      buffer = new Array[Byte](PieceSize)
    }
    var steps = 0
    while (!over) {
      if (from == input.length) {
        val piece =
          try source.next()
          catch { case NonFatal(e) => return failed(e) }
        val result = piece.resultOrNull
        if (result == null) return piece.transform(received)
        if (!result.isValue) return failed(result.error)
        take(result.value)
        if (input.length == 0)
          return atEnd
      }
      val piece =
        try step()
        catch {
          case _: DataFormatException => return failed(malformed)
          case e: HttpError           => return failed(e)
        }
      if (piece != null) return Async.value(Some(piece))
      steps += 1
      if (steps > Turn) return Async.yieldNow.flatMap(_ => next())
    }
    if (isLost) Async.fail(tooLate) else end
  }

  private val received: Try[Option[Array[Byte]]] => Async[Option[Array[Byte]]] = {
    case Success(piece) =>
      take(piece)
      if (!over && input.length == 0) atEnd else next()
    case Failure(e) => failed(e)
  }

  private def take(piece: Option[Array[Byte]]): Unit = {
    input = piece.getOrElse(Inflating.nothing)
    from = 0
    read += input.length
  }

  /** Uses some of the input; the piece that comes of it, or null. */
  private def step(): Array[Byte] = state match {
    case AtHeader =>
      while (from < input.length && state == AtHeader) {
        if (header.add(input(from) & 0xff)) state = InData
        from += 1
      }
      null
    case InData =>
      inflater.setInput(input, from, input.length - from)
      val count = inflater.inflate(buffer)
      from = input.length - inflater.getRemaining
      if (inflater.needsDictionary) throw malformed
      written += count
      limits.check(read, written)
      if (isGzip) checksum.update(buffer, 0, count)
      if (inflater.finished)
        if (isGzip) state = AtTrailer
        else {
          state = Done
          if (count == 0) close()
        }
      if (count == 0) null else java.util.Arrays.copyOf(buffer, count)
    case AtTrailer =>
      while (from < input.length && trailer < 8) {
        if (trailer < 4) sum |= (input(from) & 0xffL) << (8 * trailer)
        trailer += 1
        from += 1
      }
      if (trailer == 8) {
        if (sum != checksum.getValue) throw malformed
        // another member may follow
        state = AtHeader
        header = new GzipHeader
        trailer = 0
        sum = 0
        checksum.reset()
        inflater.reset()
      }
      null
    case _ => // bytes after the end
      throw malformed
  }

  private def atEnd: Async[Option[Array[Byte]]] =
    if (if (read == 0) isEmptyAllowed else state == AtHeader && !header.begun) finished()
    else failed(incomplete)

  private def finished(): Async[Option[Array[Byte]]] = {
    close()
    end
  }

  private def failed(error: Throwable): Async[Option[Array[Byte]]] = {
    // at the end of zlib data nothing more is expected
    if (state == Done && (error eq incomplete)) finished()
    else {
      cancel()
      Async.fail(error)
    }
  }

  private def close(): Unit = {
    over = true
    if (state != Closed) {
      state = Closed
      if (inflater != null) inflater.end()
      buffer = null
    }
  }

  /** Nobody may read any more: frees what it holds, and reading fails. */
  def release(): Unit = if (state != Closed) {
    isLost = true
    close()
  }

  def cancel(): Unit = if (state != Closed) {
    close()
    source.cancel()
  }
}

private[compression] object Inflating {
  private final val PieceSize = 16 * 1024
  private final val Turn      = 64

  private final val AtHeader  = 0
  private final val InData    = 1
  private final val AtTrailer = 2
  private final val Done      = 3
  private final val Closed    = 4

  private val nothing                         = new Array[Byte](0)
  private val end: Async[Option[Array[Byte]]] = Async.value(None)

  private val malformed  = HttpError(Status.BadRequest, "the compressed body is malformed")
  private def tooLate    = new IllegalStateException("the request is over: its body can no longer be read")
  private val incomplete = HttpError(Status.BadRequest, "the compressed body is incomplete")

  /** The header of a gzip member (RFC 1952 §2.3), byte by byte. */
  private final class GzipHeader {
    private var position = 0 // of the fixed part, up to 10
    private var flags    = 0
    private var extra    = 0 // bytes of the extra field, -1 and -2 while its length is read
    private var part     = 0 // flags that have been dealt with
    private var checked  = 0
    private var total    = 0

    def begun: Boolean = position > 0

    /** Whether this is the last byte. */
    def add(b: Int): Boolean = {
      total += 1
      if (total > MostHeader) throw malformed
      if (position < 10) {
        if ((position == 0 && b != 0x1f) || (position == 1 && b != 0x8b) || (position == 2 && b != 8))
          throw malformed
        if (position == 3) {
          flags = b
          if ((flags & 0xe0) != 0) throw malformed
        }
        position += 1
        position == 10 && following()
      } else {
        part match {
          case Extra =>
            if (checked == 0) extra = b
            else if (checked == 1) extra |= b << 8
            checked += 1
            if (checked >= 2 && checked == extra + 2) done(Extra)
          case HeaderSum =>
            checked += 1
            if (checked == 2) done(HeaderSum)
          case text => if (b == 0) done(text)
        }
        part == 0
      }
    }

    private def done(which: Int): Unit = {
      flags &= ~which
      following()
      ()
    }

    /** Finds what comes next; whether nothing does. */
    private def following(): Boolean = {
      checked = 0
      part = 0
      for (which <- List(Extra, Name, Comment, HeaderSum)) if (part == 0 && (flags & which) != 0) part = which
      part == 0
    }
  }

  private final val MostHeader = 70000
  private final val HeaderSum  = 2
  private final val Extra      = 4
  private final val Name       = 8
  private final val Comment    = 16
}
