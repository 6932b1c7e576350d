package needletail.client

import scala.concurrent.duration.FiniteDuration

import needletail.http.{Answerable, HttpError, Status}

/**
 * Why a call has no answer. The message names the host and says what happened. It carries no stack trace, as it
 * is thrown nowhere but from `await`.
 *
 * @param host who was asked, as `http://host:port` or `unix:/path`
 */
sealed abstract class ClientError(val host: String, what: String, cause: Throwable = null)
    extends RuntimeException(s"$host: $what", cause, false, false)
    with Answerable {

  /** What our server answers where a handler lets the failure through: 502, 503 or 504, and nothing of the inside. */
  def asHttpError: HttpError = this match {
    case _: ClientError.TimedOut => ClientError.tooLate
    case _: ClientError.BreakerOpen | _: ClientError.QueueFull | _: ClientError.QueueTimeout =>
      ClientError.busy
    case _ => ClientError.broken
  }

  /** Has the request left for the host, at least in part? */
  private[client] def mayHaveArrived: Boolean = false
}

object ClientError {

  /** No connection: refused, no such name, no answer within the connect time-out; the cause says which. */
  final class CannotConnect(host: String, cause: Throwable)
      extends ClientError(host, String.valueOf(cause.getMessage), cause)

  /** All connections are in use and as many calls as may are waiting. */
  final class QueueFull(host: String, queued: Int)
      extends ClientError(host, s"$queued calls are waiting for a connection already")

  /** No connection became free in time. */
  final class QueueTimeout(host: String, limit: FiniteDuration)
      extends ClientError(host, s"no connection became free within ${limit.toMillis} ms")

  /** The answer was not complete in time. `what` says what was waited for, and whose limit it was. */
  final class TimedOut(host: String, what: String) extends ClientError(host, what) {
    override private[client] def mayHaveArrived: Boolean = true
  }

  /** The connection ended before the answer was complete: before it, in its head, its body or a chunk of it. */
  final class ConnectionLost private[client] (
      host: String,
      what: String,
      cause: Throwable,
      private[needletail] val written: Boolean,  // has any octet of the request left?
      private[needletail] val answered: Boolean, // has any of the answer come?
      private[needletail] val reused: Boolean,   // had the connection served others before?
      private[needletail] val ending: Ending = Ending.Cut
  ) extends ClientError(host, what, cause) {
    override private[client] def mayHaveArrived: Boolean = written
  }

  /** How a connection ended with which an answer was lost. */
  private[needletail] sealed abstract class Ending

  private[needletail] object Ending {

    /** Nobody had said that it would. */
    case object Cut extends Ending

    /** An answer before had said that it was the last one: this request was not looked at (RFC 9112 §9.6). */
    case object Announced extends Ending

    /** It was closed here, since an answer before did not come in time. */
    case object GivenUp extends Ending
  }

  /** What came is no HTTP, or could be read in two ways. */
  final class Malformed(host: String, what: String) extends ClientError(host, what) {
    override private[client] def mayHaveArrived: Boolean = true
  }

  /** The answer's head or body is larger than the limit. */
  final class TooLarge(host: String, what: String) extends ClientError(host, what) {
    override private[client] def mayHaveArrived: Boolean = true
  }

  /** The host has failed too often of late; it was not asked. */
  final class BreakerOpen(host: String) extends ClientError(host, "failing too often, not asked for now")

  /** A redirection that can't be followed: too many, without or with a bad Location, or of a body that is gone. */
  final class BadRedirect(host: String, what: String) extends ClientError(host, what) {
    override private[client] def mayHaveArrived: Boolean = true
  }

  /** The stream given as the request's body failed, or had another length than announced. */
  final class BadRequestBody(host: String, what: String, cause: Throwable)
      extends ClientError(host, what, cause) {
    override private[client] def mayHaveArrived: Boolean = true
  }

  /** The client was closed before the answer was complete. */
  final class ClientClosed(host: String) extends ClientError(host, "the client is closed")

  private val tooLate = HttpError(Status.GatewayTimeout, "a service behind this one took too long")
  private val busy    = HttpError(Status.ServiceUnavailable, "a service behind this one is not available")
  private val broken  = HttpError(Status.BadGateway, "a service behind this one failed")
}
