package needletail.content.file

import java.io.{Closeable, FileNotFoundException, RandomAccessFile}
import java.nio.file.Path
import java.util.concurrent.atomic.AtomicInteger

/** A file of the system: its path without links, and what told it apart from others when it was looked at. */
private[file] final class FilePlace(val path: Path, val status: FileStatus) {

  /**
   * Opens it. Throws [[FilePlace.Changed]] if another file is there, or if it has been written to. It stays open if
   * fewer than `most` do.
   */
  def open(openFiles: AtomicInteger, most: Int): OpenedFile = {
    val file = new OpenedFile(this, openFiles, most)
    file.begin()
    file
  }

  /** What was opened is what is there now, unless it was replaced twice within this call. */
  def opened(): RandomAccessFile = {
    if (!isStill)
      throw FilePlace.Changed // a FIFO or a device is not opened, as that may wait or have effects
    val file =
      try new RandomAccessFile(path.toFile, "r")
      catch { case _: FileNotFoundException => throw FilePlace.Changed }
    var ok = false
    try ok = isStill
    finally if (!ok) file.close()
    if (ok) file else throw FilePlace.Changed
  }

  /** Whether the same file is there, unchanged. */
  def isStill: Boolean = FileStatus.of(path) == status

  def isSame(other: FilePlace): Boolean = path == other.path && status == other.status
}

private[file] object FilePlace {

  /** Another file is there by now. */
  object Changed extends RuntimeException("the file has changed", null, false, false)
}

/**
 * A file that is read in pieces. It stays open between them, and is counted, unless `most` files do: then it is opened
 * for each piece, so that readers who are slow cannot keep others from reading. For one thread at a time.
 */
private[file] final class OpenedFile(place: FilePlace, count: AtomicInteger, most: Int) extends Closeable {
  private var file: RandomAccessFile = null
  private var stays                  = false // and is counted

  /** Throws [[FilePlace.Changed]] if it is not there. */
  def begin(): Unit = within(_ => ())

  /** Bytes from `from` on, `length` of them or fewer where the file ends. */
  def read(from: Long, length: Int): Array[Byte] = within { file =>
    val bytes = new Array[Byte](length)
    file.seek(from)
    var done = 0
    var more = true
    while (more && done < length) {
      val count = file.read(bytes, done, length - done)
      if (count <= 0) more = false else done += count
    }
    if (done == length) bytes else java.util.Arrays.copyOf(bytes, done)
  }

  private def within[A](body: RandomAccessFile => A): A = {
    if (!stays) stays = isAdmitted
    var done = false
    try {
      if (file == null) file = place.opened()
      val answer = body(file)
      done = true
      answer
    } finally if (!done || !stays) close()
  }

  private def isAdmitted: Boolean = count.incrementAndGet() <= most || {
    count.decrementAndGet()
    false
  }

  def close(): Unit = {
    val open = file
    file = null
    if (stays) {
      stays = false
      count.decrementAndGet()
    }
    if (open != null) open.close()
  }
}
