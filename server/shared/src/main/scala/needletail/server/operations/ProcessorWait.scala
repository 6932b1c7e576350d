package needletail.server.operations

import java.io.{FileInputStream, IOException}
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.RejectedExecutionException

/**
 * How long a thread has waited for a processor while it could have run, as Linux counts it (the second number of
 * /proc/PID/task/TID/schedstat). It does not count what a hypervisor takes.
 *
 * @param execute runs a task on that thread, some time
 */
private[server] final class ProcessorWait(execute: Runnable => Unit) {
  import ProcessorWait._

  @volatile private var thread = "" // its number, until then empty
  private var isAsked          = false

  /** In nanoseconds; -1 if it is not known, or not yet. To be called on one thread, whichever. */
  def nanos(): Long =
    if (thread.nonEmpty) word(s"/proc/self/task/$thread/schedstat", 1).toLongOption.getOrElse(-1)
    else {
      if (!isAsked) {
        isAsked = true
        try execute(() => thread = word("/proc/thread-self/stat", 0))
        catch { case _: RejectedExecutionException => () }
      }
      -1
    }
}

private object ProcessorWait {

  /** A word of a file's first line; empty if there is none. */
  private def word(file: String, index: Int): String =
    try {
      val in    = new FileInputStream(file)
      val bytes = new Array[Byte](256)
      val n     =
        try in.read(bytes)
        finally in.close()
      new String(bytes, 0, math.max(0, n), US_ASCII).trim.split(' ').lift(index).getOrElse("")
    } catch { case _: IOException => "" }
}
