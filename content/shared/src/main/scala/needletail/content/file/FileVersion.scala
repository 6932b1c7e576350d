package needletail.content.file

import java.io.IOException
import java.nio.file.{AccessDeniedException, NoSuchFileException, Path}
import java.util.concurrent.atomic.AtomicInteger

import needletail.async.Loop
import needletail.http.message.{Answerable, Headers, HttpError, Status}
import needletail.io.FilePart
import needletail.io.platform.DiskFile

/**
 * A version of a file of the system: its path without links, and its identity, size and time of change when it was last
 * checked.
 *
 * @param cache keeps files open for later requests
 */
private[file] final class FileVersion(val path: Path, val status: FileStatus, cache: OpenFileCache) {

  /** The part known to be in the page cache; null if none. */
  @volatile private var fetched: Fetched = null

  /** Open for all who send it; null if it is not. See [[OpenFileCache]]. */
  @volatile var shared: SharedFile = null

  /** When it was last prefetched, in nanoseconds of the loops' clock. */
  @volatile var preparedAt: Long = Long.MinValue / 2

  /**
   * Opens it. Throws [[FileVersion.Changed]] if another file is there, or if it has been written to. It stays open if
   * fewer than `most` do.
   */
  def open(openFiles: AtomicInteger, most: Int): OpenedFile = {
    val file = new OpenedFile(this, openFiles, most)
    file.begin()
    file
  }

  /** The opened file is the current one, unless it was replaced twice within this call. */
  def opened(): DiskFile = {
    if (!isStill)
      throw FileVersion.Changed // a FIFO or a device is not opened, as that may wait or have effects
    val file =
      try DiskFile.open(path)
      catch { case e: IOException => throw FileVersion.notOpened(e, isStill) }
    var ok = false
    try ok = isStill
    finally if (!ok) file.close()
    if (ok) file else throw FileVersion.Changed
  }

  /** Whether the same file is there, unchanged. */
  def isStill: Boolean = FileStatus.of(path) == status

  def isSame(other: FileVersion): Boolean = path == other.path && status == other.status

  /** Whether it can be sent from `from` on without waiting for a disk or a thread. `now` is of the loops' clock. */
  def isAtHand(from: Long, now: Long): Boolean = shared != null && isFetched(from, now)

  private def isFetched(from: Long, now: Long): Boolean = {
    val known = fetched
    known != null && known.isFresh(now) && known.covers(from)
  }

  /** What can be sent at once from `from` on; null if it is not in memory, not open, or not as long as it was. */
  def lease(from: Long, until: Long, now: Long): Lease = {
    val known = fetched
    if (known == null || !known.isFresh(now) || !known.covers(from)) null
    else {
      val file = shared
      if (file == null || !file.acquire()) null
      else if (file.disk.size() != status.size) {
        file.release()
        null
      } else new Lease(this, file, known.part(file.disk, from, until))
    }
  }

  /**
   * What can be sent from `from` on: a part that is in the system's memory, where it is brought now unless that was done
   * lately.
   *
   * @param most how much to bring there if the disk is quick; a slow one brings at least a step
   * @param now  nanoseconds of the loops' clock
   * @param loop the loop that this is done for
   */
  def fetch(file: DiskFile, from: Long, until: Long, most: Long, now: Long, loop: Loop): FilePart = {
    val begun  = System.nanoTime()
    val known  = fetched
    val useful = if (known != null && known.isFresh(now)) known else null
    val there  =
      if (useful != null && useful.covers(from)) useful
      else {
        val end = Fetched.bring(file, from, Math.min(until, from + most))
        if (useful != null && useful.until == from) new Fetched(useful.from, end, useful.at)
        else new Fetched(from, end, now + System.nanoTime() - begun)
      }
    if (useful == null || useful.length < there.length) fetched = there // what helps most requests
    if (shared == null) cache.add(this, loop)
    there.part(file, from, until)
  }
}

private[file] object FileVersion {

  /** Another file is there by now. */
  object Changed extends RuntimeException("the file has changed", null, false, false)

  /** Descriptors have run out: 503, and the log has the path and what the system says. */
  private final class NoDescriptor(message: String) extends IOException(message) with Answerable {
    def asHttpError: HttpError =
      HttpError(Status.ServiceUnavailable, "server overloaded", Headers("Retry-After" -> "1"))
  }

  /** Why a file was not opened that was there just now, and could be read: it was replaced, or descriptors are short. */
  private[file] def notOpened(e: IOException, isStill: => Boolean): Exception = e match {
    case _: NoSuchFileException | _: AccessDeniedException => Changed
    case _ if !isStill => Changed // say, a directory or a link to itself by now
    case _             => new NoDescriptor(e.getMessage)
  }

  /** Bytes of the file at `path` from `from` on, `length` of them or fewer where it ends. */
  def read(path: Path, file: DiskFile, from: Long, length: Int): Array[Byte] = {
    val bytes = new Array[Byte](length)
    var done  = 0
    var more  = true
    while (more && done < length) {
      val count =
        try file.read(from + done, bytes, done, length - done)
        catch {
          case e: IOException => throw new IOException(s"$path cannot be read: ${e.getMessage}", e)
        }
      if (count <= 0) more = false else done += count
    }
    if (done == length) bytes else java.util.Arrays.copyOf(bytes, done)
  }
}

/** A part of a file that was in the system's memory at a time, in nanoseconds of the loops' clock. */
private[file] final class Fetched(val from: Long, val until: Long, val at: Long) {
  def length: Long                                              = until - from
  def isFresh(now: Long): Boolean                               = now - at < Fetched.Freshness
  def covers(position: Long): Boolean                           = from <= position && position < until
  def part(file: DiskFile, position: Long, end: Long): FilePart =
    new FilePart(file, position, Math.min(end, until), at + Fetched.Freshness)
}

private[file] object Fetched {

  /** For how long fetched data is assumed to stay in the page cache. */
  final val Freshness = 5000L * 1000 * 1000

  private final val Step     = 512 * 1024
  private final val Patience = 1000L * 1000 // nanoseconds

  /** Fetches steps until they have taken some time. Returns the end of the last one, even if the file ends before. */
  private[file] def bring(file: DiskFile, from: Long, until: Long): Long = {
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
