package needletail.server.tcp

import java.net.SocketTimeoutException

import needletail.io.Connection
import needletail.io.tls.{ClosedInHandshake, HandshakeFailure, PlainPeer, UnexpectedHeader}
import needletail.server.operations.{Log, RareWarning}

/**
 * Tells why TLS handshakes have failed. Any client can cause that, so it is logged rarely: once a minute for each kind of
 * failure, so that none hides another. Thread-safe.
 */
private[server] final class HandshakeWarnings(log: Log, nanoTime: () => Long) {
  import HandshakeWarnings._

  private val warnings       = HandshakeFailure.all.map(kind => kind -> new RareWarning(QuietNanos))
  private val foreignHeaders = new RareWarning(QuietNanos)

  /** Those that were too slow or said nothing are only counted. */
  def failed(connection: Connection, cause: Throwable): Unit = cause match {
    case _: SocketTimeoutException | _: ClosedInHandshake => ()
    case plain: PlainPeer if plain.isProxied              =>
      foreignHeaders.warn(log, nanoTime())(UnexpectedHeader.warning(connection.remoteAddress))
    case _: PlainPeer =>
      val peer = UnexpectedHeader.named(connection.remoteAddress)
      warn(HandshakeFailure.Plain, s"$peer did not use TLS on a TLS port; it was answered with 400")
    case _ =>
      warn(
        connection.handshakeFailure,
        s"the TLS handshake with ${connection.remoteAddress} failed: ${cause.getMessage}"
      )
  }

  private def warn(of: HandshakeFailure, text: => String): Unit =
    for ((kind, warning) <- warnings if kind eq of)
      warning.warn(log, nanoTime())(RareWarning.shown(text, Longest))

  /** Tells how many of each kind were not logged. */
  def tellRest(): Unit = {
    for ((kind, warning) <- warnings)
      warning.tellRest(log) { left =>
        s"$left more TLS ${if (left == 1) "handshake" else "handshakes"} failed since the last one that was logged (reason: $kind)"
      }
    foreignHeaders.tellRest(log) { left =>
      s"$left more ${if (left == 1) "peer" else "peers"} not in ServerConfig.proxies sent a PROXY header since the last one that was logged"
    }
  }
}

private object HandshakeWarnings {
  private final val QuietNanos = 60L * 1000 * 1000 * 1000

  /** Room for a certificate, its issuer and what is wrong with it. */
  private final val Longest = 600
}
