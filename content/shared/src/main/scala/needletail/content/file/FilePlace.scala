package needletail.content.file

import java.io.{Closeable, FileNotFoundException, RandomAccessFile}
import java.nio.file.Path
import java.util.concurrent.atomic.AtomicInteger

import needletail.async.Rejected

/** A file of the system: its path without links, and what told it apart from others when it was looked at. */
private[file] final class FilePlace(val path: Path, val status: FileStatus) {

  /**
   * Opens it. Throws [[FilePlace.Changed]] if another file is there, or if it has been written to; [[Rejected]] if too
   * many are open.
   */
  def open(openFiles: AtomicInteger, most: Int): OpenedFile = {
    if (openFiles.incrementAndGet() > most) {
      openFiles.decrementAndGet()
      throw new Rejected("too many files are open", Rejected.Other)
    }
    var opened = false
    try {
      val file = new OpenedFile(openRegular(), openFiles)
      opened = true
      // what was opened is what is there now, unless it was replaced twice within this call
      if (!isStill) {
        file.close()
        throw FilePlace.Changed
      }
      file
    } finally if (!opened) { openFiles.decrementAndGet(); () }
  }

  /** A FIFO or a device is not opened, as that may wait or have effects. */
  private def openRegular(): RandomAccessFile = {
    if (!isStill) throw FilePlace.Changed
    try new RandomAccessFile(path.toFile, "r")
    catch { case _: FileNotFoundException => throw FilePlace.Changed }
  }

  /** Whether the same file is there, unchanged. */
  def isStill: Boolean = FileStatus.of(path) == status
}

private[file] object FilePlace {

  /** Another file is there by now. */
  object Changed extends RuntimeException("the file has changed", null, false, false)
}

/** An open file, which is counted. For one thread at a time. */
private[file] final class OpenedFile(file: RandomAccessFile, count: AtomicInteger) extends Closeable {
  private var open = true

  /** Bytes from `from` on, `length` of them or fewer where the file ends. */
  def read(from: Long, length: Int): Array[Byte] = {
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

  def close(): Unit = if (open) {
    open = false
    count.decrementAndGet()
    file.close()
  }
}
