package needletail.client.error

import scala.concurrent.duration.FiniteDuration

import needletail.async.UpstreamFailure
import needletail.http.message.{Answerable, Headers, HttpError, MediaType, Status}

/**
 * Why a call has no response. The message names the method, the URL without its query, which may contain secrets, and the
 * reason; only the host if it was called by no call. Without a stack trace, as only `await` throws it.
 *
 * @param host the host that was called, as `http://host:port` or `unix:/path`
 */
sealed abstract class ClientError(val host: String, what: String, cause: Throwable = null)
    extends RuntimeException(null, cause, false, false)
    with Answerable {
  private var called: String = null

  /** Names the call that has failed, as `GET http://host/path`, unless it has a name already. */
  private[needletail] def of(call: String): this.type = {
    if (called == null) called = call
    this
  }

  override def getMessage: String = s"${if (called == null) host else called}: $what"

  /** The status of a server's response if a handler fails with it: 502, 503 or 504, without details. */
  def asHttpError: HttpError = HttpError.ofUpstream(this match {
    case _: ClientError.TimedOut => UpstreamFailure.TooSlow
    case _: ClientError.BreakerOpen | _: ClientError.QueueFull | _: ClientError.QueueTimeout =>
      UpstreamFailure.NotCalled
    case _ => UpstreamFailure.Broken
  })

  /** Whether any byte of the request has been sent. */
  private[client] def mayHaveArrived: Boolean = false
}

object ClientError {

  /** No connection: refused, unknown name, or `connectTimeout`; see the cause. */
  final class CannotConnect private[client] (host: String, cause: Throwable, way: String)
      extends ClientError(host, way + cause.getMessage, cause) {
    def this(host: String, cause: Throwable) = this(host, cause, "")
  }

  /**
   * The proxy did not connect to the host: 407 if it requires other credentials, 502 to 504 if it did not reach the
   * host, others if it refuses.
   */
  final class ProxyRefused(host: String, val status: Status)
      extends ClientError(host, s"the proxy refused the connection: $status")

  /** All connections are in use, and `maxQueued` calls are waiting for one. */
  final class QueueFull(host: String, queued: Int)
      extends ClientError(host, s"$queued calls are already waiting for a connection")

  /** No connection became free within `queueTimeout`. */
  final class QueueTimeout(host: String, limit: FiniteDuration)
      extends ClientError(host, s"no connection became free within ${limit.toMillis} ms")

  /** The response was not complete in time. The message names the limit and the progress of the call. */
  final class TimedOut(host: String, what: String) extends ClientError(host, what) {
    override private[client] def mayHaveArrived: Boolean = true
  }

  /** The connection ended before the response was complete. The message names the position in the response. */
  final class ConnectionLost private[client] (
      host: String,
      what: String,
      cause: Throwable,
      private[needletail] val written: Boolean,  // whether any byte of the request was sent
      private[needletail] val answered: Boolean, // whether any byte of the response was received
      private[needletail] val reused: Boolean,   // whether it had earlier responses
      private[needletail] val ending: Ending = Ending.Cut
  ) extends ClientError(host, what, cause) {
    override private[client] def mayHaveArrived: Boolean = written
  }

  /** How a connection ended whose response was lost. */
  private[needletail] sealed abstract class Ending

  private[needletail] object Ending {

    /** Without notice. */
    case object Cut extends Ending

    /** After an earlier response that announced it: the server did not process this request (RFC 9112 §9.6). */
    case object Announced extends Ending

    /** Closed by the client, as an earlier response was not complete in time. */
    case object GivenUp extends Ending
  }

  /** The response is not valid HTTP, or is ambiguous. */
  final class Malformed(host: String, what: String) extends ClientError(host, what) {
    override private[client] def mayHaveArrived: Boolean = true
  }

  /** The head or body of the response exceeds its limit. */
  final class TooLarge(host: String, what: String) extends ClientError(host, what) {
    override private[client] def mayHaveArrived: Boolean = true
  }

  /**
   * The circuit breaker is open: the host has failed too often recently, and was not called. If it opens while a call waits to
   * be made again after 502, 503 or 504, the host is not called again.
   */
  final class BreakerOpen(host: String)
      extends ClientError(host, "failing too often (the circuit breaker is open)")

  /** A redirect that cannot be followed: too many, or to a Location that is not allowed. */
  final class BadRedirect(host: String, what: String) extends ClientError(host, what) {
    override private[client] def mayHaveArrived: Boolean = true
  }

  /** The stream given as the request body failed, or had another length than announced. */
  final class BadRequestBody(host: String, what: String, cause: Throwable)
      extends ClientError(host, what, cause) {

    /** If the stream has failed with an HttpError, as the body of a received request does: that one, not a 502. */
    override def asHttpError: HttpError = cause match {
      case error: HttpError => error
      case _                => super.asHttpError
    }

    override private[client] def mayHaveArrived: Boolean = true
  }

  /**
   * The response has another status than the caller accepts. The message names the status only.
   *
   * @param status the response's status
   * @param headers the response's headers
   * @param bytes the response's body
   */
  final class UnexpectedStatus private[needletail] (
      host: String,
      val status: Status,
      val headers: Headers,
      val bytes: Array[Byte]
  ) extends ClientError(host, s"the response is $status") {
    override private[client] def mayHaveArrived: Boolean = true

    /** The body as text, in the charset of its Content-Type or in UTF-8. */
    def text: String = MediaType.decode(bytes, MediaType.charset(headers.get("Content-Type")))
  }

  /** The client was closed before the call was made, or before the response was complete. */
  final class ClientClosed private[client] (host: String, written: Boolean)
      extends ClientError(host, "the client is closed") {
    def this(host: String) = this(host, written = false)

    override private[client] def mayHaveArrived: Boolean = written
  }
}
