package needletail.async

/**
 * The failure of another server that this program has called. If a handler fails with it, a server responds 502, 503 or
 * 504 without details, and logs the message.
 */
trait UpstreamFailure extends Throwable {

  /** The error, as reported to the client of this program. */
  def upstreamReason: UpstreamFailure.Reason
}

object UpstreamFailure {

  /** What went wrong. */
  sealed trait Reason

  /** It did not answer in time: 504. */
  case object TooSlow extends Reason

  /** It was not called, as too many calls are waiting for it, or as it has failed too often lately: 503. */
  case object NotCalled extends Reason

  /** It could not be reached, or its answer is of no use: 502. */
  case object Broken extends Reason
}
