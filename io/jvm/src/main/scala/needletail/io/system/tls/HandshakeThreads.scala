package needletail.io.system.tls

import needletail.async.OnDemandThreads

import scala.concurrent.duration._

/**
 * Compute handshakes for all servers of the program: as many at once as there are processors. Those that wait are
 * bounded by the servers' limits of handshakes under way. The threads end when there is nothing to do for a while.
 */
private[tls] object HandshakeThreads {
  private val threads =
    new OnDemandThreads("needletail-tls", Runtime.getRuntime.availableProcessors, Int.MaxValue, 10.seconds)

  def execute(task: Runnable): Unit = threads.execute(task)
}
