package needletail.server.tcp

import java.net.SocketTimeoutException
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import needletail.io.Connection
import needletail.io.tls.{ClosedInHandshake, HandshakeFailure, PlainPeer, TlsRefusal, UnexpectedHeader}
import needletail.server.operations.{Log, RareWarning}

/**
 * Tells why TLS handshakes have failed. Any client can cause that, so it is logged rarely: once a minute for each kind
 * of failure and what it is about, such as certificates that have expired, so that none hides another. Thread-safe.
 */
private[server] final class HandshakeWarnings(log: Log, nanoTime: () => Long) {
  import HandshakeWarnings._

  private val warnings       = new ConcurrentHashMap[Reason, RareWarning]
  private val foreignHeaders = new RareWarning(QuietNanos)

  /** Those that were too slow or said nothing are only counted. */
  def failed(connection: Connection, cause: Throwable): Unit = cause match {
    case _: SocketTimeoutException | _: ClosedInHandshake => ()
    case plain: PlainPeer if plain.isProxied              =>
      foreignHeaders.warn(log, nanoTime())(UnexpectedHeader.warning(connection.remoteAddress))
    case _: PlainPeer =>
      val peer = UnexpectedHeader.named(connection.remoteAddress)
      warn(Reason(HandshakeFailure.Plain), s"$peer did not use TLS on a TLS port; it was answered with 400")
    case _ =>
      val about = cause match {
        case refusal: TlsRefusal => refusal.about
        case _                   => ""
      }
      warn(
        Reason(connection.handshakeFailure, about),
        s"the TLS handshake with ${connection.remoteAddress} failed: ${cause.getMessage}"
      )
  }

  private def warn(reason: Reason, text: => String): Unit =
    warningOf(reason).warn(log, nanoTime())(RareWarning.shown(text, Longest))

  /** Whatever the names are that the TLS library has for alerts: beyond some number, they share one. */
  private def warningOf(reason: Reason): RareWarning = {
    val own = if (warnings.size < MostReasons || warnings.containsKey(reason)) reason else Reason(reason.kind)
    warnings.computeIfAbsent(own, _ => new RareWarning(QuietNanos))
  }

  /** Tells how many were not logged, for each reason. */
  def tellRest(): Unit = {
    for ((reason, warning) <- warnings.asScala.toSeq.sortBy(_._1.toString))
      warning.tellRest(log) { left =>
        s"$left more TLS ${if (left == 1) "handshake" else "handshakes"} failed since the last one that was logged (reason: $reason)"
      }
    foreignHeaders.tellRest(log) { left =>
      s"$left more ${if (left == 1) "peer" else "peers"} not in ServerConfig.proxies sent a PROXY header since the last one that was logged"
    }
  }
}

private object HandshakeWarnings {
  private final val QuietNanos = 60L * 1000 * 1000 * 1000

  private final val MostReasons = 64

  /** @param about what it is about; empty: that is not known, or there are too many */
  final case class Reason(kind: HandshakeFailure, about: String = "") {
    override def toString: String = if (about.isEmpty) kind.name else s"${kind.name}, $about"
  }

  /** Room for a certificate, its issuer and what is wrong with it. */
  private final val Longest = 600
}
