package needletail.content.file

import java.io.{Closeable, FileNotFoundException, IOException}
import java.nio.file.Path
import java.util.concurrent.atomic.AtomicInteger

import needletail.io.FilePart
import needletail.io.platform.DiskFile

/** A file of the system: its path without links, and what told it apart from others when it was looked at. */
private[file] final class FilePlace(val path: Path, val status: FileStatus) {

  /** What is known to be in the system's memory; null if nothing is. */
  @volatile var fetched: Fetched = null

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
  def opened(): DiskFile = {
    if (!isStill)
      throw FilePlace.Changed // a FIFO or a device is not opened, as that may wait or have effects
    val file =
      try DiskFile.open(path)
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
  private var file: DiskFile = null
  private var stays          = false // and is counted

  /** Throws [[FilePlace.Changed]] if it is not there. */
  def begin(): Unit = within(_ => ())

  /** Bytes from `from` on, `length` of them or fewer where the file ends. */
  def read(from: Long, length: Int): Array[Byte] = within { file =>
    val bytes = new Array[Byte](length)
    var done  = 0
    var more  = true
    while (more && done < length) {
      val count =
        try file.read(from + done, bytes, done, length - done)
        catch {
          case e: IOException => throw new IOException(s"${place.path} cannot be read: ${e.getMessage}", e)
        }
      if (count <= 0) more = false else done += count
    }
    if (done == length) bytes else java.util.Arrays.copyOf(bytes, done)
  }

  /**
   * What can be sent from `from` on: a part that is in the system's memory, where it is brought now unless that was done
   * lately. Null if the file does not stay open.
   *
   * @param most how much to bring there if the disk is quick; a slow one brings at least a step
   * @param now  nanoseconds of the loops' clock
   */
  def fetch(from: Long, until: Long, most: Long, now: Long): FilePart = within { file =>
    if (!stays) null
    else {
      val begun  = System.nanoTime()
      val known  = place.fetched
      val useful = if (known != null && known.isFresh(now)) known else null
      val there  =
        if (useful != null && useful.from <= from && from < useful.until) useful
        else {
          val end = OpenedFile.fetch(file, from, Math.min(until, from + most))
          if (useful != null && useful.until == from) new Fetched(useful.from, end, useful.at)
          else new Fetched(from, end, now + System.nanoTime() - begun)
        }
      if (useful == null || useful.length < there.length) place.fetched = there // what helps most requests
      new FilePart(file, from, Math.min(until, there.until), there.at + Fetched.Freshness)
    }
  }

  private def within[A](body: DiskFile => A): A = {
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

private object OpenedFile {
  private final val Step     = 512 * 1024
  private final val Patience = 1000L * 1000 // nanoseconds

  /** Fetches steps until they have taken some time. Returns the end of the last one, even if the file ends before. */
  private def fetch(file: DiskFile, from: Long, until: Long): Long = {
    val begun = System.nanoTime()
    var at    = from
    var more  = true
    while (more && at < until) {
      val step = Math.min(Step.toLong, until - at).toInt
      more = file.fetch(at, step) == step && System.nanoTime() - begun < Patience
      at += step
    }
    at
  }
}

/** A part of a file that was in the system's memory at a time, in nanoseconds of the loops' clock. */
private[file] final class Fetched(val from: Long, val until: Long, val at: Long) {
  def length: Long                = until - from
  def isFresh(now: Long): Boolean = now - at < Fetched.Freshness
}

private[file] object Fetched {

  /** For how long the system is taken to keep what it has just fetched. */
  final val Freshness = 5000L * 1000 * 1000
}
