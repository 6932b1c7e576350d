package needletail.client.config

import scala.concurrent.duration._

import needletail.async.Setting

/**
 * How the calls of a service are distributed over its addresses.
 *
 * @param policy how an address is chosen
 * @param failures failures in a row after which an address is ejected for a while
 * @param ejectFor how long it is ejected the first time; twice as long the second time, and so on, up to ten times
 * @param maxEjected the share of all addresses that may be ejected at once; the last address never is
 * @throws java.lang.IllegalArgumentException if a setting is out of range
 */
final case class BalancingConfig(
    policy: Balancing = Balancing.LeastInFlight,
    failures: Int = 5,
    ejectFor: FiniteDuration = 5.seconds,
    maxEjected: Double = 0.5
) {
  private def check(): Unit = {
    val is = Setting("BalancingConfig")
    is.positive("failures", failures)
    is.positive("ejectFor", ejectFor)
    is.check("maxEjected", maxEjected, maxEjected >= 0 && maxEjected <= 1, "0 to 1")
  }
  check()
}

/** How an address is chosen. */
sealed abstract class Balancing

object Balancing {

  /** The addresses in turn (round robin). */
  case object RoundRobin extends Balancing

  /** The address with the fewest calls in flight, over all loops; among equals, in turn. */
  case object LeastInFlight extends Balancing
}
