package needletail.gateway.host.upstream

import java.util.concurrent.atomic.AtomicInteger

import needletail.async.Loop
import needletail.io.Address

/**
 * One address of an [[Upstream]]: the state shared by all loops.
 *
 * @param most maximum of connections
 * @param changePlaces called with the change of the number of requests that can be in flight at once
 */
private[host] final class Endpoint(
    val address: Address,
    val index: Int,
    multiplex: Int,
    most: Int,
    changePlaces: Int => Unit
) {

  /** Requests in flight on all loops. */
  val inFlight: AtomicInteger = new AtomicInteger

  /** Requests that it accepts at once; others would wait in its backlog, where nobody knows of them. */
  private def places: Int = if (multiplexes) most * multiplex else most

  def isFull: Boolean = inFlight.get >= places

  /** Takes a place for a request, which `inFlight` counts, if there is one. From any thread. */
  def tryEnter(): Boolean = {
    var n = inFlight.get
    while (n < places && !inFlight.compareAndSet(n, n + 1)) n = inFlight.get
    n < places
  }

  /** Connections on all loops. */
  val open: AtomicInteger = new AtomicInteger

  /** Whether the server has announced that it accepts several requests on one connection (FCGI_MPXS_CONNS). */
  @volatile var multiplexes: Boolean = false

  /** Whether that is still to be queried. */
  @volatile var isAsked: Boolean = multiplex > 1

  /** The server has answered whether it accepts several requests on one connection. */
  def learned(multiplexes: Boolean): Unit = {
    val isNew = synchronized {
      val isNew = this.multiplexes != multiplexes
      this.multiplexes = multiplexes
      isNew
    }
    if (isNew) changePlaces(most * (multiplex - 1) * (if (multiplexes) 1 else -1))
  }

  /** Until when other addresses are preferred after a failure, on the clock of `System.nanoTime`. */
  @volatile var downUntil: Long = Loop.nanoTime()

  def isDown: Boolean = downUntil - Loop.nanoTime() > 0

  /**
   * Whether more connections are open than the server accepts. It serves as many as it has processes: an idle one
   * would keep another from being served.
   */
  def hasTooMany: Boolean = open.get > most
}
