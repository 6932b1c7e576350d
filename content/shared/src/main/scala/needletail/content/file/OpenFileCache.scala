package needletail.content.file

import java.io.IOException
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import needletail.async.{Async, Blocking, Loop, Survivable}
import needletail.io.FilePart
import needletail.io.platform.DiskFile

/**
 * Files that stay open for later requests, so that a loop can have them sent without a thread's help. At most `most`;
 * one that was not requested lately is closed, and so are all when the loop ends that maintains them.
 */
private[file] final class OpenFileCache(most: Int) {
  import OpenFileCache._
  private val files       = new ConcurrentHashMap[FileVersion, SharedFile]
  private val count       = new AtomicInteger
  private val isScheduled = new AtomicBoolean

  def size: Int = count.get

  /** Whether any file is ever kept. */
  def isAllowed: Boolean = most > 0

  /**
   * Opens the file, if it is unchanged and there is room, and has `loop` see to it that unused files are closed. Blocks.
   */
  def add(version: FileVersion, loop: Loop): Unit =
    if (count.incrementAndGet() > most) { count.decrementAndGet(); () }
    else {
      var isAdded = false
      try {
        val file = new SharedFile(version.opened())
        isAdded = files.putIfAbsent(version, file) == null
        if (isAdded) {
          version.shared = file
          // the response that this was done for may be gone, so nobody else would
          try loop.execute(() => closeLater())
          catch { case Survivable(_) => drop(version, file) } // the loop has ended
        } else file.release()
      } catch {
        case FileVersion.Changed | _: IOException => () // it is not kept
      } finally if (!isAdded) { count.decrementAndGet(); () }
    }

  /** Makes the current loop close files that are not used, now and then. */
  private def closeLater(): Unit =
    if (size > 0 && isScheduled.compareAndSet(false, true)) {
      val loop = Loop.current
      loop.atEnd(ending)
      again(loop)
    }

  private def again(loop: Loop): Unit = {
    loop.schedule(
      Idle,
      () =>
        if (size == 0) {
          isScheduled.set(false)
          closeLater() // if one was added just now
        } else {
          Async.blocking(closeUnused()) // if there is no thread for it, the next time
          again(loop)
        }
    )
    ()
  }

  private val ending: Runnable = () => {
    isScheduled.set(false)
    files.forEach((version, file) => drop(version, file))
  }

  /** Closes those that were not requested since the last call. */
  private[file] def closeUnused(): Unit = files.forEach { (version, file) =>
    if (file.isUsed) file.forgetUse() else drop(version, file)
  }

  private def drop(version: FileVersion, file: SharedFile): Unit =
    if (files.remove(version, file)) {
      version.shared = null
      count.decrementAndGet()
      file.release()
    }
}

private[file] object OpenFileCache {
  private final val Idle = 5000L * 1000 * 1000
}

/** An open file that several connections send at once. It is closed when its owner and all who use it have released it. */
private[file] final class SharedFile(val disk: DiskFile) {
  private val users           = new AtomicInteger(1)
  @volatile private var asked = true

  /** Whether it has been used since `forgetUse`, or is now. */
  def isUsed: Boolean = asked || users.get > 1

  def forgetUse(): Unit = asked = false

  /** False if it is closed. */
  def acquire(): Boolean = {
    var n = users.get
    while (n > 0 && !users.compareAndSet(n, n + 1)) n = users.get
    if (!asked) asked = true
    n > 0
  }

  def release(): Unit = if (users.decrementAndGet() == 0)
    // if the file was deleted, this may wait for the disk
    if (Loop.currentOrNull == null || Blocking.default.startOrNull(disk.close()) == null) disk.close()
}

/** A response's use of a file that is open, from a part on that is in memory. For one loop. */
private[file] final class Lease(version: FileVersion, file: SharedFile, val part: FilePart) {
  private var released = false

  /** Reads beyond the part. For threads for blocking work. */
  def reader(): ReadableFile = {
    if (!file.acquire()) throw new IOException("the file is closed")
    new ReadableFile {
      def read(from: Long, length: Int): Array[Byte] = FileVersion.read(version.path, file.disk, from, length)
      def fetch(from: Long, until: Long, most: Long, now: Long, loop: Loop): FilePart =
        version.fetch(file.disk, from, until, most, now, loop)
      def close(): Unit = file.release()
    }
  }

  def release(): Unit = if (!released) {
    released = true
    file.release()
  }
}
