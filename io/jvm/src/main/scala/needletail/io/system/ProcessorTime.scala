package needletail.io.system

import java.lang.management.ManagementFactory
import java.util.concurrent.atomic.AtomicBoolean
import java.util.function.LongSupplier

import needletail.async.Survivable

/** Processor time of threads. */
private[needletail] object ProcessorTime {
  @volatile private var reading: LongSupplier = null
  private val asked                           = new AtomicBoolean

  /**
   * Processor time of the calling thread in nanoseconds; -1 if unknown: on JVMs that cannot measure it, and for some
   * milliseconds after the first call. Costs a system call.
   */
  def ofThisThread: Long = {
    val read = reading
    if (read != null) read.getAsLong
    else {
      if (!asked.get && asked.compareAndSet(false, true)) prepare()
      -1
    }
  }

  /** Loading the JDK's management classes takes tens of milliseconds, so it is done on another thread. */
  private def prepare(): Unit = {
    val thread = new Thread(() => load(), "needletail-processor-time")
    thread.setDaemon(true)
    try thread.start()
    catch { case Survivable(_) => () } // no further thread: it stays unknown
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
