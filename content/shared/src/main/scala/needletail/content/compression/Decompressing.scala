package needletail.content.compression

import scala.util.{Failure, Success, Try}

import needletail.async.{Async, Survivable}
import needletail.http.message.HttpError
import needletail.http.{ByteStream, OneAtATime, Status}

/**
 * The content of a stream that is compressed, in pieces of at most 16 KB. Fails with HttpError 400 if it is malformed or
 * incomplete, with 413 beyond `limits`, and with what `newDecoder` throws.
 *
 * @param newDecoder called when something is read
 * @param isEmptyAllowed whether a source without any bytes is an empty content
 */
private[compression] final class Decompressing(
    source: ByteStream,
    newDecoder: () => Decoder,
    limits: DecodingLimits,
    isEmptyAllowed: Boolean = false
) extends ByteStream {
  import Decompressing._
  private var decoder: Decoder    = null  // until something is read
  private var buffer: Array[Byte] = null
  private var isFed               = false // with bytes that it has not used
  private var read                = 0L
  private var written             = 0L
  private var over                = false
  private var isLost              = false // given up before its end

  private val oneAtATime = new OneAtATime

  def next(): Async[Option[Array[Byte]]] = oneAtATime(decoded())

  private def decoded(): Async[Option[Array[Byte]]] =
    try {
      if (decoder == null && !over) {
        decoder = newDecoder()
        buffer = new Array[Byte](PieceSize)
      }
      step()
    } catch { case Survivable(e) => failed(e) }

  private def step(): Async[Option[Array[Byte]]] = {
    var steps = 0
    while (!over) {
      if (!isFed) {
        val piece  = source.next()
        val result = piece.resultOrNull
        if (result == null) return piece.transform(received)
        if (!result.isValue) return failed(result.error)
        if (result.value.isEmpty) return atEnd
        take(result.value.get)
      }
      val count = decoder.decode(buffer)
      written += count
      limits.check(read, written)
      if (count > 0) return Async.value(Some(java.util.Arrays.copyOf(buffer, count)))
      isFed = false
      steps += 1
      if (steps > Turn) return Async.yieldNow.flatMap(_ => decoded())
    }
    if (isLost) Async.fail(tooLate) else end
  }

  private val received: Try[Option[Array[Byte]]] => Async[Option[Array[Byte]]] = {
    case Success(Some(piece)) =>
      if (!over) take(piece)
      decoded()
    case Success(None) => if (over) decoded() else atEnd
    case Failure(e)    => failed(e)
  }

  private def take(piece: Array[Byte]): Unit = {
    decoder.take(piece, 0, piece.length)
    read += piece.length
    isFed = true
  }

  private def atEnd: Async[Option[Array[Byte]]] =
    if (if (read == 0) isEmptyAllowed else decoder.mayEnd) {
      close()
      end
    } else failed(incomplete)

  private def failed(error: Throwable): Async[Option[Array[Byte]]] = {
    cancel()
    Async.fail(error)
  }

  private def close(): Unit = if (!over) {
    over = true
    if (decoder != null) decoder.close()
    decoder = null
    buffer = null
  }

  /** Releases its resources; reading fails from now on. */
  def release(): Unit = if (!over) {
    isLost = true
    close()
  }

  def cancel(): Unit = if (!over) {
    close()
    source.cancel()
  }
}

private[compression] object Decompressing {
  private final val PieceSize = 16 * 1024
  private final val Turn      = 64

  private val end: Async[Option[Array[Byte]]] = Async.value(None)

  private def tooLate    = new IllegalStateException("the request is over: its body can no longer be read")
  private val incomplete = HttpError(Status.BadRequest, "the compressed body is incomplete")
}
