package needletail.tcp

import scala.concurrent.duration.FiniteDuration

import needletail.async.UpstreamFailure
import needletail.io.loop.FailureLog

/**
 * Why a request has no answer. The message names the address and the reason. Without a stack trace, as it is thrown
 * nowhere but by `await`. An HTTP server whose handler fails with it responds 502, 503 or 504, but 500 for one that could
 * not be encoded.
 *
 * @param address the server's, as messages show it
 * @param mayHaveArrived whether any byte of the request was written, or is still to be, as the connection had it already
 *   when its time was over: if not, the server has not seen it and will not, and it may be sent again; if so, only the
 *   caller knows whether doing it twice is right
 */
sealed abstract class TcpClientError(
    val address: String,
    private[tcp] val what: String,
    cause: Throwable,
    val mayHaveArrived: Boolean
) extends RuntimeException(s"$address: $what", cause, false, false)

object TcpClientError {

  /**
   * There is no connection: refused, unknown name, not within `connectTimeout`, or the protocol's own set-up of a
   * connection has failed; see the cause. Also while the client pauses between attempts.
   */
  final class CannotConnect private[tcp] (address: String, what: String, cause: Throwable)
      extends TcpClientError(address, what, cause, mayHaveArrived = false)
      with UpstreamFailure {
    def upstreamReason: UpstreamFailure.Reason = UpstreamFailure.Broken
  }

  /** The connections have as many requests in flight as they may, and as many wait as may wait. */
  final class QueueFull private[tcp] (address: String, what: String)
      extends TcpClientError(address, what, null, mayHaveArrived = false)
      with UpstreamFailure {
    def upstreamReason: UpstreamFailure.Reason = UpstreamFailure.NotCalled
  }

  /** The answer was not complete in time. A later answer is dropped. */
  final class TimedOut private[tcp] (
      address: String,
      val limit: FiniteDuration,
      what: String,
      written: Boolean
  ) extends TcpClientError(address, s"no answer within ${limit.toMillis} ms: $what", null, written)
      with UpstreamFailure {
    def upstreamReason: UpstreamFailure.Reason = UpstreamFailure.TooSlow
  }

  /** The connection ended before the answer was complete. */
  final class ConnectionLost private[tcp] (address: String, what: String, cause: Throwable, written: Boolean)
      extends TcpClientError(address, what, cause, written)
      with UpstreamFailure {
    def upstreamReason: UpstreamFailure.Reason = UpstreamFailure.Broken
  }

  /** The server's bytes could not be decoded: malformed, too long, or the decoder failed with the cause. */
  final class Malformed private[tcp] (address: String, what: String, cause: Throwable)
      extends TcpClientError(address, what, cause, mayHaveArrived = true)
      with UpstreamFailure {
    def upstreamReason: UpstreamFailure.Reason = UpstreamFailure.Broken
  }

  /** The codec failed to encode the request, with the cause. */
  final class NotEncoded private[tcp] (address: String, cause: Throwable)
      extends TcpClientError(
        address,
        s"the request could not be encoded: ${FailureLog.described(cause)}",
        cause,
        mayHaveArrived = false
      )

  /** The client was closed, or is draining. */
  final class Closed private[tcp] (address: String, written: Boolean)
      extends TcpClientError(address, "the client is closed", null, written)
      with UpstreamFailure {
    def upstreamReason: UpstreamFailure.Reason = UpstreamFailure.Broken
  }
}
