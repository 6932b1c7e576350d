package needletail.io.system.tls

import java.util.concurrent.{LinkedBlockingQueue, ThreadPoolExecutor, TimeUnit}

/**
 * Compute handshakes for all servers of the program: as many at once as there are processors. Those that wait are
 * bounded by the servers' limits of handshakes under way. The threads end when there is nothing to do for a while.
 */
private[tls] object HandshakeThreads {
  private val pool = {
    val count = Runtime.getRuntime.availableProcessors
    val made  = new ThreadPoolExecutor(
      count,
      count,
      10,
      TimeUnit.SECONDS,
      new LinkedBlockingQueue[Runnable],
      (task: Runnable) => {
        val thread = new Thread(task, "needletail-tls")
        thread.setDaemon(true)
        thread
      }
    )
    made.allowCoreThreadTimeOut(true)
    made
  }

  def execute(task: Runnable): Unit = pool.execute(task)
}
