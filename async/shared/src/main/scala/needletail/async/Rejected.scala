package needletail.async

/**
 * The failure of something that had no room. A server responds with 503 to a request whose handler fails with it.
 *
 * @param full the resource that was exhausted
 */
final class Rejected(message: String, val full: Rejected.Full = Rejected.Other)
    extends RuntimeException(message, null, false, false)

object Rejected {

  /** The resource that was exhausted. */
  sealed trait Full

  /** The mailbox of an actor. */
  case object Mailbox extends Full

  /** The threads for blocking work, and the queue for them. */
  case object Threads extends Full

  /** Anything else. */
  case object Other extends Full
}
