package needletail.content.file

import java.io.IOException

import scala.util.{Failure, Success, Try}

import needletail.async.{Async, AsyncPromise, Loop}
import needletail.http.ByteStream
import needletail.io.{FileOutput, FilePart}
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
 *
 * A single long part can be sent by the system instead, if the connection can do that (`sends`). Then those threads only
 * see to it that the file is in memory; with a `lease` its beginning is.
 */
private[file] final class FileContent(
    file: OpenFile[ReadableFile],
    all: List[Part],
    sends: Boolean,
    lease: Lease = null
) extends ByteStream
    with FileOutput {
  import FileContent._
  private var parts                       = all.filter(!_.isEmpty)
  private var reading: Async[Array[Byte]] = null
  private var over                        = false
  private var fetching: Async[FilePart]   = null
  private var current: FilePart = if (lease == null) null else lease.part // the part that is sent, or will be
  private var isTaken           = false

  /**
   * Opens the file and makes the first piece ready, so that what cannot be opened is known before the response is.
   */
  def opened: Async[FileContent] = {
    val promise = new AsyncPromise[FileContent]
    promise.onCancel(() => cancel())
    begun.onComplete {
      case Success(_) =>
        promise.succeed(this)
        ()
      case Failure(e) =>
        over = true
        promise.fail(e)
        ()
    }
    promise
  }

  private def begun: Async[Any] = parts match {
    case Part.Range(from, until) :: Nil if sends && until - from >= SendFrom =>
      fetch(from, until, MostAhead).map(current = _) // null if too many files are open
    case Part.Range(from, until) :: _ =>
      start(from, until)
      reading
    case Part.Bytes(_) :: _ => file.use(_ => ())
    case Nil                => file.useUntil((_: Unit) => true)(_ => ())
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
              Async.fail(new IOException("the file became shorter while it was sent"))
            } else {
              val done = from + bytes.length
              parts = if (done == until) rest else Part.Range(done, until) :: rest
              Async.value(Some(bytes))
            }
          case _ => end
        }
      case Failure(e) =>
        close()
        Async.fail(e)
    }
  }

  def isSendable: Boolean = current != null && !over

  def nextPart(): Async[FilePart] = parts match {
    case Part.Range(from, until) :: _ if isSendable =>
      val part = current
      if (!isTaken) {
        isTaken = true
        Async.value(part)
      } else {
        parts = List(Part.Range(part.position, until))
        val isSlow = part.left > 0
        val most   = if (isSlow) Math.max(LeastAhead, 2 * (part.position - from)) else MostAhead
        fetch(part.position, until, Math.min(most, MostAhead)).map { next =>
          current = next
          next
        }
      }
    case _ => Async.fail(new IOException("the file is closed"))
  }

  def readFrom(position: Long): Unit = {
    current = null
    parts = parts match {
      case Part.Range(_, until) :: rest => Part.Range(position, until) :: rest
      case others                       => others
    }
  }

  private def fetch(from: Long, until: Long, most: Long): Async[FilePart] = {
    val loop   = Loop.current
    val ahead  = Loop.nanoTime() - System.nanoTime() // of the loop's clock
    val result = file.use(_.fetch(from, until, most, System.nanoTime() + ahead, loop))
    fetching = result
    // an interrupt would close a channel that other responses use
    (if (lease == null) result else result.shield).transform { part =>
      fetching = null
      if (part.isFailure) close()
      Async.fromTry(part)
    }
  }

  /** The piece that has been made ready. */
  private[needletail] override def inMemory: Array[Byte] = {
    val ready = if (reading == null) null else reading.resultOrNull
    if (ready != null && ready.isValue) ready.value else null
  }

  private def finish(): Async[Option[Array[Byte]]] = {
    close()
    end
  }

  def cancel(): Unit = if (!over) {
    if (reading != null) reading.cancel()
    reading = null // with its piece, if it is complete
    if (fetching != null && lease == null) fetching.cancel()
    close()
  }

  private def close(): Unit = {
    over = true
    file.close()
    if (lease != null) lease.release()
  }
}

private[file] object FileContent {
  final val PieceSize                         = 64 * 1024
  final val SendFrom                          = 64 * 1024 // below, a read and a write cost less
  private final val LeastAhead                = 256L * 1024
  final val MostAhead                         = 16L * 1024 * 1024
  private val end: Async[Option[Array[Byte]]] = Async.value(None)
}
