package needletail.content.file

import java.io.Closeable
import java.util.concurrent.atomic.AtomicInteger

import needletail.async.Loop
import needletail.io.FilePart
import needletail.io.platform.DiskFile

/** A file that is read in pieces, or sent. For one thread at a time. */
private[file] trait ReadableFile extends Closeable {

  /** Bytes from `from` on, `length` of them or fewer where the file ends. */
  def read(from: Long, length: Int): Array[Byte]

  /** See [[FileVersion.fetch]]. Null if the file does not stay open. */
  def fetch(from: Long, until: Long, most: Long, now: Long, loop: Loop): FilePart
}

/**
 * A file that was opened for one response. It stays open between pieces, and is counted, unless `most` files do: then it
 * is opened for each piece, so that readers who are slow cannot keep others from reading.
 */
private[file] final class OpenedFile(version: FileVersion, count: AtomicInteger, most: Int)
    extends ReadableFile {
  private var file: DiskFile = null
  private var stays          = false // and is counted

  /** Throws [[FileVersion.Changed]] if it is not there. */
  def begin(): Unit = within(_ => ())

  def read(from: Long, length: Int): Array[Byte] = within(FileVersion.read(version.path, _, from, length))

  def fetch(from: Long, until: Long, most: Long, now: Long, loop: Loop): FilePart =
    within(file => if (stays) version.fetch(file, from, until, most, now, loop) else null)

  private def within[A](body: DiskFile => A): A = {
    if (!stays) stays = isAdmitted
    var done = false
    try {
      if (file == null) file = version.opened()
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
