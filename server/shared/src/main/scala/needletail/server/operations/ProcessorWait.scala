package needletail.server.operations

import java.io.{FileInputStream, IOException}
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.RejectedExecutionException

/**
 * How long a thread has waited for a processor while it could have run. Linux counts the waits that have ended (the
 * second number of /proc/PID/task/TID/schedstat), but not what a hypervisor takes. A wait that is going on is known by
 * the thread's state, "R" for one that runs or could, and by the time that neither its processor time nor its ended
 * waits account for, unless it has slept in that time, as its voluntary switches tell.
 *
 * @param execute runs a task on that thread, some time
 * @param line what a short file has; empty if it cannot be read
 * @param clock in nanoseconds
 */
private[server] final class ProcessorWait(
    execute: Runnable => Unit,
    line: String => String = ProcessorWait.line,
    clock: () => Long = () => System.nanoTime
) {
  import ProcessorWait._

  @volatile private var thread = "" // its number, until then empty
  private var isAsked          = false

  // What the last look found; `open` is the part of a wait that was going on then.
  private var looked = Long.MinValue
  private var ran    = 0L
  private var waited = 0L
  private var slept  = "" // how often
  private var open   = 0L

  /**
   * In nanoseconds; -1 if it is not known, or not yet. To be called on one thread, whichever.
   *
   * @param since when the thread began what it does: of a wait that is going on, only the part after the first call
   *   since then is counted
   */
  def nanos(since: Long): Long =
    if (thread.nonEmpty) look(since)
    else {
      if (!isAsked) {
        isAsked = true
        try execute(() => thread = word(line("/proc/thread-self/stat"), 0))
        catch { case _: RejectedExecutionException => () }
      }
      -1
    }

  private def look(since: Long): Long = {
    val counts = line(s"/proc/self/task/$thread/schedstat")
    val now    = clock()
    (word(counts, 0).toLongOption, word(counts, 1).toLongOption) match {
      case (Some(running), Some(waiting)) =>
        val isFirst = looked == Long.MinValue || looked - since < 0
        val before  = slept
        slept = sleeps
        open =
          if (isFirst || !isRunnable || slept != before) 0
          else {
            val unaccounted = open + (now - looked) - (running - ran) - (waiting - waited)
            if (unaccounted < TickNanos) 0 else unaccounted
          }
        looked = now
        ran = running
        waited = waiting
        waiting + open
      case _ => -1
    }
  }

  /** On a line of its own, nearly the last; the file is some 1,500 bytes long. */
  private def sleeps = {
    val status = line(s"/proc/self/task/$thread/status")
    val at     = status.indexOf(Switches)
    if (at < 0) "" else word(status.substring(at + Switches.length).trim.replace('\n', ' '), 0)
  }

  /** The state follows the thread's name, which may have spaces and parentheses. */
  private def isRunnable = {
    val stat = line(s"/proc/self/task/$thread/stat")
    word(stat.substring(stat.lastIndexOf(')') + 1).trim, 0) == "R"
  }
}

private object ProcessorWait {

  /** A thread that runs has less than that in addition to the time that Linux has counted: it counts at each tick. */
  private final val TickNanos = 10L * 1000 * 1000

  private final val Switches = "\nvoluntary_ctxt_switches:"

  private def word(line: String, index: Int): String = line.split(' ').lift(index).getOrElse("")

  private def line(file: String): String =
    try {
      val in    = new FileInputStream(file)
      val bytes = new Array[Byte](8192)
      val n     =
        try in.read(bytes)
        finally in.close()
      new String(bytes, 0, math.max(0, n), US_ASCII).trim
    } catch { case _: IOException => "" }
}
