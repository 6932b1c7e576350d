package needletail.client.policy

import java.util.concurrent.atomic.AtomicInteger

import needletail.client.config.{Balancing, BalancingConfig}
import needletail.io.Address

/** An address of a host, with the state shared by all loops. */
private[client] final class Endpoint(val index: Int, val address: Address) {
  val inFlight = new AtomicInteger

  // Written under the balancer's lock, read without it: a stale value may misdirect a call.
  @volatile private[client] var ejected  = false
  @volatile private[client] var returnAt = 0L
  private[client] var failuresInRow      = 0
  private[client] var timesEjected       = 0

  override def toString: String = address.toString
}

/**
 * Chooses among the addresses of a host; those that fail are ejected for a while. Shared by all loops. Times are
 * nanoseconds of the caller's clock.
 *
 * @param addresses one or more
 */
private[client] final class Balancer(addresses: Seq[Address], config: BalancingConfig) {
  val endpoints: Array[Endpoint] = addresses.zipWithIndex.map { case (a, i) => new Endpoint(i, a) }.toArray

  /** Whether there is one address only. */
  def isSingle: Boolean = endpoints.length == 1

  private val turn        = new AtomicInteger
  private val leastFlight = config.policy == Balancing.LeastInFlight

  // at least one address is never ejected
  private val mostEjected =
    math.min(endpoints.length - 1, math.ceil(config.maxEjected * endpoints.length).toInt)

  /** The address for a call; if possible not `avoid`, which has just failed. Null avoids none. */
  def choose(now: Long, avoid: Endpoint): Endpoint =
    if (isSingle) endpoints(0)
    else {
      val start          = Math.floorMod(turn.getAndIncrement(), endpoints.length)
      var best: Endpoint = null
      var i              = 0
      while (i < endpoints.length && (best == null || leastFlight)) {
        val e = endpoints((start + i) % endpoints.length)
        if ((e ne avoid) && isIn(e, now) && (best == null || e.inFlight.get < best.inFlight.get)) best = e
        i += 1
      }
      if (best != null) best else fallback(start, avoid)
    }

  /** For when every address is ejected or is `avoid`. */
  private def fallback(start: Int, avoid: Endpoint): Endpoint = {
    val next = endpoints(start)
    if (avoid == null) next
    else if (!avoid.ejected) avoid
    else if (next ne avoid) next
    else endpoints((start + 1) % endpoints.length)
  }

  private def isIn(e: Endpoint, now: Long): Boolean =
    !e.ejected || (now - e.returnAt >= 0 && takeBack(e, now))

  /** Ends an ejection. The next failure ejects the address again, for longer. */
  private def takeBack(e: Endpoint, now: Long): Boolean = synchronized {
    if (e.ejected && now - e.returnAt >= 0) {
      e.ejected = false
      e.failuresInRow = config.failures - 1
    }
    !e.ejected
  }

  /** A call to the address begins. Not counted with a single address, as all loops would write the same counter. */
  def took(e: Endpoint): Unit = if (endpoints.length > 1) { e.inFlight.incrementAndGet(); () }

  /** A call to the address has ended. */
  def gave(e: Endpoint): Unit = if (endpoints.length > 1) { e.inFlight.decrementAndGet(); () }

  /** A call to the address succeeded. */
  def succeeded(e: Endpoint): Unit =
    if (endpoints.length > 1 && (e.failuresInRow != 0 || e.timesEjected != 0))
      synchronized {
        e.failuresInRow = 0
        if (!e.ejected) e.timesEjected = 0
      }

  /** A call to the address failed. */
  def failed(e: Endpoint, now: Long): Unit = if (endpoints.length > 1) synchronized {
    e.failuresInRow += 1
    if (!e.ejected && e.failuresInRow >= config.failures && endpoints.count(_.ejected) < mostEjected) {
      e.timesEjected += 1
      e.returnAt = now + config.ejectFor.toNanos * math.min(e.timesEjected, 10)
      e.ejected = true
    }
  }
}
