package needletail.websocket.config

import scala.concurrent.duration._

import needletail.async.Setting
import needletail.http.text.{Ascii, Grammar, Origin}
import needletail.websocket.frame.Compression

/**
 * The settings of a WebSocket. The defaults are safe on an open network.
 *
 * @param origins which pages may connect, by the field Origin; others get 403
 * @param subprotocols the subprotocols that this side speaks, the preferred one first
 * @param maxMessage bytes of a message that is received; beyond: closed with 1009
 * @param maxFrame bytes of a frame that is received; beyond: closed with 1009
 * @param maxPendingOutput bytes that may wait for a peer that does not read; beyond, `send` refuses, and nothing is read
 *   from that peer
 * @param compression `PerMessageDeflate`, if the peer agrees; None: nothing is compressed. Do not compress messages that
 *   contain both a secret and text that an attacker can choose: their size reveals information about the secret
 * @param pingInterval how long a peer may be silent before it is sent a ping. 0: no pings
 * @param pingTimeout how long it may take to answer; then the connection is closed
 * @param closeTimeout how long the peer may take to answer a close frame; then the connection is closed, or reset if
 *                     the peer has read nothing of what was sent before
 * @throws java.lang.IllegalArgumentException for a value out of range, naming it
 */
final case class WebSocketConfig(
    origins: Origins = Origins.Same,
    subprotocols: Seq[String] = Nil,
    maxMessage: Int = 1024 * 1024,
    maxFrame: Long = Long.MaxValue,
    maxPendingOutput: Int = 1024 * 1024,
    compression: Option[Compression] = None,
    pingInterval: FiniteDuration = FiniteDuration(30, SECONDS),
    pingTimeout: FiniteDuration = FiniteDuration(10, SECONDS),
    closeTimeout: FiniteDuration = FiniteDuration(5, SECONDS)
) {
  private def check(): Unit = {
    val is = Setting("WebSocketConfig")
    is.check("subprotocols", subprotocols, subprotocols.forall(Grammar.isToken), "tokens (RFC 9110)")
    is.positive("maxMessage", maxMessage)
    is.positive("maxFrame", maxFrame)
    is.positive("maxPendingOutput", maxPendingOutput)
    is.notNegative("pingInterval", pingInterval)
    is.positive("pingTimeout", pingTimeout)
    is.positive("closeTimeout", closeTimeout)
  }
  check()

  private[needletail] val pingNanos: Long        = pingInterval.toNanos
  private[needletail] val pingTimeoutNanos: Long = pingTimeout.toNanos
  private[needletail] val closeNanos: Long       = closeTimeout.toNanos
}

/** Which pages of browsers may connect. Programs other than browsers send no Origin, and may always. */
sealed abstract class Origins
object Origins {

  /** Pages of the host and port that the request was sent to, by http or https, as a proxy may end TLS. */
  case object Same extends Origins

  /** Pages of the same host and port, and of these origins, such as `https://example.com`. */
  final case class Listed(origins: Set[String]) extends Origins {
    for (origin <- origins)
      Setting("Origins.Listed").check("origins", origin, Origin.isValid(Ascii.lower(origin)), Origin.form)
  }

  /** All pages: any site that a user visits can then talk to this server with the user's cookies. */
  case object Any extends Origins
}
