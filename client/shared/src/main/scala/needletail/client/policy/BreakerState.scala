package needletail.client.policy

/** The state of a circuit breaker. */
sealed abstract class BreakerState

object BreakerState {

  /** All calls are let through. */
  case object Closed extends BreakerState

  /** All calls are rejected. */
  case object Open extends BreakerState

  /** A few calls are let through, to probe the host. */
  case object HalfOpen extends BreakerState
}
