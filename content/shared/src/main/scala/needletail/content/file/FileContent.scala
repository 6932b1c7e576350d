package needletail.content.file

import java.io.IOException

import scala.util.{Failure, Success, Try}

import needletail.async.{Async, AsyncPromise}
import needletail.http.ByteStream
import needletail.stream.stage.OpenFile

/** A part of a response's content: bytes, or a range of the file. */
private[file] sealed abstract class Part {
  def length: Long
  def isEmpty: Boolean = length == 0
}

private[file] object Part {
  final case class Bytes(bytes: Array[Byte]) extends Part {
    def length: Long = bytes.length.toLong
  }
  final case class Range(from: Long, until: Long) extends Part {
    def length: Long = until - from
  }
}

/**
 * Parts of an open file and bytes between them, in order. The file is read on threads for blocking work, and closed at
 * the end. It fails if the file has become shorter.
 */
private[file] final class FileContent(file: OpenFile[OpenedFile], all: List[Part]) extends ByteStream {
  import FileContent._
  private var parts                       = all.filter(!_.isEmpty)
  private var reading: Async[Array[Byte]] = null
  private var over                        = false

  /** Opens the file and reads the first piece, so that what cannot be opened is known before the response is. */
  def opened: Async[FileContent] = {
    parts match {
      case Part.Range(from, until) :: _ => start(from, until)
      case Part.Bytes(_) :: _           => reading = file.use(_ => none)
      case Nil                          => reading = file.useUntil((_: Array[Byte]) => true)(_ => none)
    }
    val promise = new AsyncPromise[FileContent]
    promise.onCancel(() => cancel())
    reading.onComplete {
      case Success(bytes) =>
        if (bytes eq none) reading = null
        promise.succeed(this)
        ()
      case Failure(e) =>
        over = true
        promise.fail(e)
        ()
    }
    promise
  }

  def next(): Async[Option[Array[Byte]]] =
    if (over) end
    else
      parts match {
        case Nil                       => finish()
        case Part.Bytes(bytes) :: rest =>
          parts = rest
          if (rest.isEmpty) { finish(); () }
          Async.value(Some(bytes))
        case Part.Range(from, until) :: _ =>
          if (reading == null) start(from, until)
          // shielded, so that the next call gets the piece of one that was withdrawn
          reading.shield.transform(received)
      }

  private def start(from: Long, until: Long): Unit = {
    val length = Math.min(PieceSize.toLong, until - from).toInt
    val isLast = parts.tail.isEmpty && from + length == until
    reading = file.useUntil((_: Array[Byte]) => isLast)(_.read(from, length))
  }

  private val received: Try[Array[Byte]] => Async[Option[Array[Byte]]] = result => {
    reading = null
    result match {
      case _ if over      => end
      case Success(bytes) =>
        parts match {
          case Part.Range(from, until) :: rest =>
            if (bytes.length < Math.min(PieceSize.toLong, until - from)) {
              cancel()
              Async.fail(new IOException("the file has become shorter while it was sent"))
            } else {
              val done = from + bytes.length
              parts = if (done == until) rest else Part.Range(done, until) :: rest
              Async.value(Some(bytes))
            }
          case _ => end
        }
      case Failure(e) =>
        over = true
        file.close()
        Async.fail(e)
    }
  }

  private def finish(): Async[Option[Array[Byte]]] = {
    over = true
    file.close()
    end
  }

  def cancel(): Unit = if (!over) {
    over = true
    if (reading != null) reading.cancel()
    file.close()
  }
}

private[file] object FileContent {
  final val PieceSize                         = 64 * 1024
  private val none                            = new Array[Byte](0)
  private val end: Async[Option[Array[Byte]]] = Async.value(None)
}
