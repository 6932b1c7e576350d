package needletail.io.system

import java.io.{IOException, RandomAccessFile}

/**
 * For how long threads have wanted to run while others did, as Linux counts it in `/proc/thread-self/schedstat`. That
 * is the thread that opens it, so each keeps its own file open, from its first reading until `close`.
 */
private[io] object ThreadDelay {
  private val files = new ThreadLocal[Schedstat]

  /** Of the calling thread, in nanoseconds; -1 if unknown. Two system calls. */
  def ofThisThread: Long = {
    var file = files.get
    if (file eq null) {
      file = new Schedstat(open("/proc/thread-self/schedstat"))
      files.set(file)
    }
    file.delay
  }

  /** Closes what the calling thread has open for it, if anything. */
  def close(): Unit = {
    val file = files.get
    if (file ne null) {
      files.remove()
      file.close()
    }
  }

  /** Null where there is none. */
  private def open(path: String): RandomAccessFile =
    try new RandomAccessFile(path, "r")
    catch { case _: IOException => null } // not Linux, or no descriptor is left

  /** Such a file; `file` may be null. */
  private[system] final class Schedstat(private var file: RandomAccessFile) {
    private val text = new Array[Byte](64)

    def delay: Long =
      if (file eq null) -1
      else
        try {
          file.seek(0)
          delayIn(text, file.read(text))
        } catch {
          case _: IOException =>
            close()
            -1
        }

    def close(): Unit = if (file ne null) {
      try file.close()
      catch { case _: IOException => () } // it was only read
      file = null
    }
  }

  /**
   * The second number in the first `length` bytes of such a file: after the time for which the thread has run, which is
   * 0 in a kernel that does not count. -1 if it is not there.
   */
  private[system] def delayIn(text: Array[Byte], length: Int): Long = {
    val end = endOfNumber(text, 0, length)
    if (end == 0 || end >= length || text(end) != ' ' || number(text, 0, end) == 0) -1
    else {
      val last = endOfNumber(text, end + 1, length)
      if (last == end + 1 || last >= length) -1 else number(text, end + 1, last)
    }
  }

  private def endOfNumber(text: Array[Byte], from: Int, until: Int): Int = {
    var at = from
    while (at < until && text(at) >= '0' && text(at) <= '9') at += 1
    at
  }

  private def number(text: Array[Byte], from: Int, until: Int): Long = {
    var n  = 0L
    var at = from
    while (at < until) {
      n = n * 10 + (text(at) - '0')
      at += 1
    }
    n
  }
}
