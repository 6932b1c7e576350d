package needletail.gateway.host

import java.io.{File, IOException, RandomAccessFile}
import java.nio.file.attribute.PosixFilePermissions
import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.atomic.AtomicLong

import scala.util.{Failure, Success}

import needletail.async.{Async, Blocking}
import needletail.gateway.host.incoming.SizedContent
import needletail.http.{ByteStream, MessageBody}
import needletail.http.message.{HttpError, Status}
import needletail.http.text.ByteWriter

/**
 * Collects request bodies before a program is started for them or a server is asked: those without a length, since CGI
 * needs one (RFC 3875 section 4.1.2), and others too, since a client that sends slowly would keep the place from others,
 * unless `bufferRequests` is off. First in memory, then in a temporary file that is unlinked at once, so that nothing is
 * left behind. All files together have at most `maxSpoolTotal` bytes. A request without a length for which there is no room
 * fails with [[BodySpool.Full]]; of another one, the rest is passed on as it arrives.
 *
 * @param opened opens a file that exists, to write and read it
 */
private[host] final class BodySpool(
    config: ProgramHostConfig,
    files: Blocking,
    opened: File => RandomAccessFile = new RandomAccessFile(_, "rw")
) {
  private val toldAt = new AtomicLong(System.nanoTime() - BodySpool.QuietNanos)
  private val inUse  = new AtomicLong

  /** Bytes in files. */
  private[host] def inFiles: Long = inUse.get

  /** Logs an error such as a full disk; as any client can cause it, at most once a second. */
  private def warnOf(e: IOException): Unit = {
    val now  = System.nanoTime()
    val last = toldAt.get
    if (now - last >= BodySpool.QuietNanos && toldAt.compareAndSet(last, now)) {
      val where = config.spoolDirectory.getOrElse(System.getProperty("java.io.tmpdir"))
      config.log.warn(s"the body of a request could not be kept in $where: ${e.getMessage}")
    }
  }

  /**
   * `body` with its length; fails with HttpError 413 if it has none and is larger than `maxSpool`. Throws IllegalStateException if reading it has
   * begun, so that the program would get only the rest; the content fails if that happens before it is read here.
   */
  def apply(body: MessageBody): Async[SizedContent] = {
    body.refuseIfBegun()
    if (body.isEmpty) Async.value(SizedContent.none)
    else if (body.length >= 0 && !config.bufferRequests)
      Async.value(new SizedContent(body.length, body.allPieces, () => ()))
    else {
      val collected = new Collected(body)
      var complete  = false
      collected
        .read(body.allPieces)
        .map { content =>
          complete = true
          content
        }
        .andFinally(if (!complete) collected.close())
    }
  }

  private def tooLarge: HttpError =
    HttpError(Status.ContentTooLarge, s"a body may have at most ${config.maxSpool} bytes here")

  /** What is in memory counts among what the server holds for the client of `body`. */
  private final class Collected(body: MessageBody) {
    private val mostInMemory =
      if (body.length < 0) config.spoolMemory.toLong else math.min(body.length, config.spoolMemory.toLong)
    private var memory             = new ByteWriter(0) // null once it has been handed over
    private var whole: Array[Byte] = null              // a single piece that is all of it
    private var length             = 0L
    private var file: FileOnThread = null

    def read(stream: ByteStream): Async[SizedContent] = stream.next().flatMap {
      case None if body.length >= 0 && length != body.length =>
        Async.fail(new IOException("the request's content was shorter than announced"))
      case None => Async.value(content(null, null))
      case Some(piece) if body.length >= 0 && length + piece.length > config.maxSpool =>
        Async.value(content(piece, stream))
      case Some(piece) =>
        length += piece.length
        if (length > (if (body.length < 0) config.maxSpool else body.length)) Async.fail(tooLarge)
        else if (piece.length == body.length && length <= mostInMemory)
          held(piece.length, stream) {
            whole = piece
          }
        else if (file == null && length <= mostInMemory)
          held(memory.roomFor(piece.length, mostInMemory) - memory.bytes.length, stream) {
            memory.ensure(piece.length, mostInMemory)
            memory.write(piece)
          }
        else {
          if (file == null) file = new FileOnThread
          file.append(piece).transform {
            case Success(_)              => read(stream)
            case Failure(e: IOException) =>
              warnOf(e)
              if (body.length >= 0) Async.value(content(piece, stream)) else Async.fail(BodySpool.unavailable)
            case Failure(BodySpool.Full) if body.length >= 0 => Async.value(content(piece, stream))
            case Failure(e)                                  => Async.fail(e)
          }
        }
    }

    /** Keeps `more` bytes in memory by `keep`, and reads on. */
    private def held(more: Int, stream: ByteStream)(keep: => Unit): Async[SizedContent] = {
      val refusal = if (more == 0) null else body.hold(more)
      if (refusal == null) {
        keep
        read(stream)
      } else {
        stream.cancel()
        Async.fail(refusal)
      }
    }

    /** What is collected, then `uncollected`, and then `rest` as it arrives; null for none. */
    private def content(uncollected: Array[Byte], rest: ByteStream): SizedContent =
      if (length == 0 && rest == null) SizedContent.none
      else {
        var first = if (whole != null) whole else if (memory.length == 0) null else memory.taken
        var own   = file
        var last  = uncollected
        memory = null
        new SizedContent(
          if (rest == null) length else body.length,
          new ByteStream {
            def next(): Async[Option[Array[Byte]]] =
              if (first != null) {
                val piece = first
                first = null
                Async.value(Some(piece))
              } else if (own != null)
                own.next().flatMap {
                  case None =>
                    own = null
                    close()
                    next()
                  case some => Async.value(some)
                }
              else if (last != null) {
                val piece = last
                last = null
                Async.value(Some(piece))
              } else if (rest == null) Async.value(None)
              else rest.next()
            def cancel(): Unit = {
              close()
              if (rest != null) rest.cancel()
            }
          },
          () => close()
        )
      }

    def close(): Unit = if (file != null) file.close()
  }

  /** All file operations run on a thread that may block, one at a time. */
  private final class FileOnThread {
    private var open: RandomAccessFile = null
    private var rewound                = false
    private var closed                 = false // before or after it was opened
    private var counted                = 0L    // its bytes of `inUse`
    private var written                = 0L    // bytes of whole pieces
    private var left                   = 0L    // of these, what was not read again

    def append(piece: Array[Byte]): Async[Unit] = files(locked {
      if (inUse.addAndGet(piece.length.toLong) > config.maxSpoolTotal) {
        inUse.addAndGet(-piece.length.toLong)
        throw BodySpool.Full
      }
      counted += piece.length
      if (open == null) {
        val path = created()
        try open = opened(path.toFile)
        finally Files.delete(path)
      }
      // if this fails, a part of it may be in the file, and the whole is still to be passed on
      open.write(piece)
      written += piece.length
      // natively a write that a full disk takes in part does not fail
      if (open.getFilePointer != written) throw new IOException("No space left on device")
      left += piece.length
    })

    def next(): Async[Option[Array[Byte]]] = files(locked {
      if (left == 0) None
      else {
        if (!rewound) {
          rewound = true
          open.seek(0)
        }
        val piece = new Array[Byte](math.min(left, BodySpool.Piece.toLong).toInt)
        open.readFully(piece)
        left -= piece.length
        Some(piece)
      }
    })

    /** Closes it here if no other thread can: it has no name, so its space would be lost. */
    def close(): Unit = if (files.startOrNull(closeNow()) == null) closeNow()

    private def closeNow(): Unit = synchronized {
      if (!closed) {
        closed = true
        inUse.addAndGet(-counted)
        if (open != null)
          try open.close()
          catch { case _: IOException => () } // nothing in it is needed any more
      }
    }

    /** A new file that only the owner of this process may open. */
    private def created(): Path = {
      val directory = config.spoolDirectory.getOrElse(System.getProperty("java.io.tmpdir"))
      Files.createTempFile(Paths.get(directory), "needletail", ".body", BodySpool.ownersOnly)
    }

    private def locked[A](body: => A): A = synchronized {
      if (closed) throw new java.io.IOException("the collected body was discarded")
      body
    }
  }
}

private[host] object BodySpool {
  private final val Piece      = 64 * 1024
  private final val QuietNanos = 1000L * 1000 * 1000

  /** There is no room for it beside the other bodies in files. */
  object Full extends RuntimeException("no room for the body of another request", null, false, false)

  private val ownersOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))

  private val unavailable =
    HttpError(Status.ServiceUnavailable, "no space for the body of the request")
}
