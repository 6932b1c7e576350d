package needletail.client

import java.util.concurrent.atomic.AtomicInteger

import needletail.io.Address

/** One of a host's addresses, as all loops know it. */
private[client] final class Endpoint(val index: Int, val address: Address) {
  val inFlight = new AtomicInteger

  // Under the balancer's lock, but read without it: a stale value sends one call to a bad address, or to another.
  @volatile private[client] var ejected  = false
  @volatile private[client] var returnAt = 0L
  private[client] var failuresInRow      = 0
  private[client] var timesEjected       = 0

  override def toString: String = address.toString
}

/**
 * Chooses among a host's addresses and leaves out, for a while, those that fail. Shared by all loops; times are
 * nanoseconds of the caller's clock.
 */
private[client] final class Balancer(addresses: Seq[Address], config: BalancingConfig) {
  val endpoints: Array[Endpoint] = addresses.zipWithIndex.map { case (a, i) => new Endpoint(i, a) }.toArray
  require(endpoints.nonEmpty, "a service must have an address at least")

  private val turn        = new AtomicInteger
  private val leastFlight = config.policy == Balancing.LeastInFlight

  // Always one that can be asked: an even share of nothing would be nothing.
  private val mostEjected =
    math.min(endpoints.length - 1, math.ceil(config.maxEjected * endpoints.length).toInt)

  /** Where to go now; not to `avoid`, which has just failed, where there is another. */
  def choose(now: Long, avoid: Endpoint): Endpoint =
    if (endpoints.length == 1) endpoints(0)
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

  /** All are out, or none but the one to avoid is left. */
  private def fallback(start: Int, avoid: Endpoint): Endpoint = {
    val next = endpoints(start)
    if (avoid == null) next
    else if (!avoid.ejected) avoid
    else if (next ne avoid) next
    else endpoints((start + 1) % endpoints.length)
  }

  private def isIn(e: Endpoint, now: Long): Boolean =
    !e.ejected || (now - e.returnAt >= 0 && takeBack(e, now))

  /** Its time is over: it is asked again, and one more failure puts it out again, for longer. */
  private def takeBack(e: Endpoint, now: Long): Boolean = synchronized {
    if (e.ejected && now - e.returnAt >= 0) {
      e.ejected = false
      e.failuresInRow = config.failures - 1
    }
    !e.ejected
  }

  /** A call is under way there. With one address nobody has to know, and all loops would write to it. */
  def took(e: Endpoint): Unit = if (endpoints.length > 1) { e.inFlight.incrementAndGet(); () }

  /** It is no longer. */
  def gave(e: Endpoint): Unit = if (endpoints.length > 1) { e.inFlight.decrementAndGet(); () }

  def succeeded(e: Endpoint): Unit =
    if (endpoints.length > 1 && (e.failuresInRow != 0 || e.timesEjected != 0))
      synchronized {
        e.failuresInRow = 0
        if (!e.ejected) e.timesEjected = 0
      }

  def failed(e: Endpoint, now: Long): Unit = if (endpoints.length > 1) synchronized {
    e.failuresInRow += 1
    if (!e.ejected && e.failuresInRow >= config.failures && endpoints.count(_.ejected) < mostEjected) {
      e.timesEjected += 1
      e.returnAt = now + config.ejectFor.toNanos * math.min(e.timesEjected, 10)
      e.ejected = true
    }
  }
}
