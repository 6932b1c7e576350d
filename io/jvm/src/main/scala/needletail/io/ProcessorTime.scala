package needletail.io

import java.lang.management.ManagementFactory
import java.util.concurrent.atomic.AtomicBoolean
import java.util.function.LongSupplier

/** What the processor has done for a thread. */
private[needletail] object ProcessorTime {
  @volatile private var reading: LongSupplier = null
  private val asked                           = new AtomicBoolean

  /**
   * For the thread that asks, in nanoseconds; -1 where it is not known: on virtual machines that do not tell, and for
   * some milliseconds after it was first asked for. A system call and a little.
   */
  def ofThisThread: Long = {
    val read = reading
    if (read != null) read.getAsLong
    else {
      if (!asked.get && asked.compareAndSet(false, true)) prepare()
      -1
    }
  }

  /** What tells it takes the virtual machine tens of milliseconds to load, which is no loop's business. */
  private def prepare(): Unit = {
    val thread = new Thread(() => load(), "needletail-processor-time")
    thread.setDaemon(true)
    thread.start()
  }

  private def load(): Unit =
    try {
      val threads = ManagementFactory.getThreadMXBean
      if (threads.isCurrentThreadCpuTimeSupported) {
        if (!threads.isThreadCpuTimeEnabled) threads.setThreadCpuTimeEnabled(true)
        threads.getCurrentThreadCpuTime
        reading = () => threads.getCurrentThreadCpuTime
      }
    } catch {
      case _: Exception | _: LinkageError => ()
    } // a runtime without java.management: it stays unknown
}
