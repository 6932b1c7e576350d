package needletail.stream.stage

import java.io.{FileInputStream, FileOutputStream, InputStream, OutputStream}
import java.nio.file.{FileSystemException, Files, NoSuchFileException, Path}
import java.util.Arrays

import scala.util.{Failure, Success, Try}

import needletail.async.{Async, AsyncPromise, Survivable}

/** The content of a file in pieces, each read by another thread on demand. */
private[stream] final class FileSource(file: OpenFile[InputStream], pieceSize: Int)
    extends Pull[Array[Byte]] {
  private var over                        = false
  private var reading: Async[Array[Byte]] = null // null at the end

  private[needletail] def advance(): AnyRef =
    if (over) Pull.End
    else {
      if (reading == null) reading = file.useUntil[Array[Byte]](_.isEmpty)(FileSource.read(_, pieceSize))
      // shielded, so that the next call gets the piece of one that was withdrawn, which may be there
      Pull.of(reading.shield.transform(read))
    }

  private val read: Try[Array[Byte]] => Async[AnyRef] = result => {
    reading = null
    result match {
      case _ if over                        => Async.value(Pull.End)
      case Success(piece) if piece.nonEmpty => Async.value(piece)
      case Success(_)                       => // closed by the thread that has found the end
        over = true
        Async.value(Pull.End)
      case Failure(e) => over = true; Async.fail(e)
    }
  }

  def cancel(): Unit = if (!over) {
    over = true
    if (reading != null) reading.cancel()
    file.close()
  }
}

private[stream] object FileSource {
  private val none = new Array[Byte](0)

  def open(path: Path): () => InputStream = () => {
    FileSink.refuseDirectory(path)
    if (!Files.exists(path)) throw new NoSuchFileException(path.toString)
    new FileInputStream(path.toFile)
  }

  /** One piece, whatever one read gives; empty at the end. */
  private def read(file: InputStream, size: Int): Array[Byte] = {
    val buffer = new Array[Byte](size)
    val count  = file.read(buffer)
    if (count <= 0) none else if (count == size) buffer else Arrays.copyOf(buffer, count)
  }
}

/** Writes a stream to a file. Pieces that are ready are written together. */
private[stream] final class FileSink(private var up: Pull[Array[Byte]], file: OpenFile[OutputStream]) {
  private val budget             = Budget.here
  private val buffer             = new Array[Byte](FileSink.BufferSize)
  private var length             = 0
  private var large: Array[Byte] = null  // to be written after the buffer
  private var written            = 0L
  private var over               = false // whether the stream must not be cancelled any more
  private var failure: Throwable = null
  private var outstanding: Later = null  // the element that was asked for while bytes are written

  /** Completes with the number of bytes when the file is closed. Cancelling it cancels the stream. */
  def run(): Async[Long] = {
    val outcome = Async.defer(go())
    val promise = new AsyncPromise[Long]
    promise.onCancel { () =>
      stop()
      outcome.cancel()
      file.close()
    }
    outcome.onComplete { t =>
      if (t.isFailure) {
        stop()
        file.close()
      }
      promise.complete(t)
      ()
    }
    promise
  }

  private def stop(): Unit = if (!over) {
    over = true
    if (outstanding != null) outstanding.async.cancel()
    Pull.cancel(up)
  }

  /** Gathers what is ready, writes it, and continues. */
  private def go(): Async[Long] = {
    var turn = true
    while (turn && !over && outstanding == null && large == null && length < FileSink.BufferSize) {
      advance() match {
        case later: Later => outstanding = later
        case x            => take(x)
      }
      turn = !budget.isSpent
    }
    if (length > 0 || large != null || over) write().flatMap(_ => proceed())
    else if (turn) proceed()
    else Async.yieldNow.flatMap(_ => proceed()) // many pieces, all of them empty
  }

  private def advance(): AnyRef = {
    up = up.asPull
    try up.advance()
    catch { case Survivable(e) => stop(); Pull.fail(e) } // the stack is used up
  }

  private def proceed(): Async[Long] =
    if (failure != null) Async.fail(failure)
    else if (outstanding != null)
      outstanding.async.transform {
        case Success(x) =>
          outstanding = null
          take(x)
          go()
        case Failure(e) =>
          outstanding = null
          over = true
          failure = e
          go()
      }
    else if (over) Async.value(written)
    else go()

  private def take(x: AnyRef): Unit =
    if (x eq Pull.End) over = true
    else {
      val piece = x.asInstanceOf[Array[Byte]]
      if (piece.length <= buffer.length - length) {
        System.arraycopy(piece, 0, buffer, length, piece.length)
        length += piece.length
      } else large = piece
    }

  private def write(): Async[Unit] = {
    val count                       = length
    val piece                       = large
    val more                        = if (piece == null) 0 else piece.length
    def all(to: OutputStream): Unit = {
      if (count > 0) to.write(buffer, 0, count)
      if (piece != null) to.write(piece)
    }
    val last = over
    length = 0
    large = null
    (if (last) file.finish(all) else file.use(all)).map(_ => written += count + more)
  }
}

private[stream] object FileSink {
  private final val BufferSize = 64 * 1024

  def open(path: Path, append: Boolean): () => OutputStream = () => {
    refuseDirectory(path)
    new FileOutputStream(path.toFile, append)
  }

  def refuseDirectory(path: Path): Unit =
    if (Files.isDirectory(path)) throw new FileSystemException(path.toString, null, "is a directory")
}
