package needletail.load.result

/**
 * How a request ended. Each request that was due has exactly one outcome; percentiles of good and failed ones are
 * never mixed.
 *
 * @param name in files and tables
 * @param phase where it ended: before it had a connection, while it was in flight, or by its answer
 * @param ours whether this machine caused it, so that it says nothing about the server
 */
sealed abstract class Outcome private (val index: Int, val name: String, val phase: Phase, val ours: Boolean)
    extends Product
    with Serializable

/** Where a request ended. */
sealed abstract class Phase(val name: String) extends Product with Serializable

object Phase {
  case object Connecting extends Phase("connecting")
  case object UnderWay   extends Phase("under way")
  case object Answered   extends Phase("answered")
}

object Outcome {
  import Phase._

  /** A status that counts as good, and every check passed. */
  case object Good extends Outcome(0, "good", Answered, false)

  /** A complete answer whose status does not count as good. */
  case object BadStatus extends Outcome(1, "status", Answered, false)

  /** A complete answer with a good status that failed a check of the scenario. */
  case object FailedCheck extends Outcome(2, "check", Answered, false)

  /** The name of the host has no address. */
  case object Unresolved extends Outcome(3, "unresolved", Connecting, false)

  /** No process listens there. */
  case object Refused extends Outcome(4, "refused", Connecting, false)

  /** No connection within the connect timeout. */
  case object ConnectTimedOut extends Outcome(5, "connect-timeout", Connecting, false)

  /** No local port was free (EADDRNOTAVAIL). */
  case object NoFreePort extends Outcome(6, "no-free-port", Connecting, true)

  /** This process may open no more descriptors (EMFILE, ENFILE). */
  case object TooManyFiles extends Outcome(7, "too-many-files", Connecting, true)

  /** Any other failure to connect. */
  case object ConnectFailed extends Outcome(8, "connect-failed", Connecting, false)

  /** The connection was reset, or closed before the answer was complete. */
  case object Reset extends Outcome(9, "reset", UnderWay, false)

  /** No complete answer within the timeout. */
  case object TimedOut extends Outcome(10, "timeout", UnderWay, false)

  /** The response is not valid HTTP. */
  case object Garbage extends Outcome(11, "garbage", UnderWay, false)

  /**
   * It was due and could not be sent: all connections that it may use were in use until the end, or until its answer
   * would have come too late, though answers come quickly.
   */
  case object Unsent extends Outcome(12, "unsent", Connecting, true)

  val all: Vector[Outcome] = Vector(
    Good,
    BadStatus,
    FailedCheck,
    Unresolved,
    Refused,
    ConnectTimedOut,
    NoFreePort,
    TooManyFiles,
    ConnectFailed,
    Reset,
    TimedOut,
    Garbage,
    Unsent
  )

  def named(name: String): Option[Outcome] = all.find(_.name == name)
}
