package needletail.server.exchange

import needletail.io.tls.UnexpectedHeader
import needletail.server.operations.{Log, RareWarning}

/** The warnings of peers that begin with something else than HTTP on a plain port; one for the whole server. */
private[needletail] final class ForeignPeers {
  private val tls    = new RareWarning(ForeignPeers.QuietNanos)
  private val header = new RareWarning(ForeignPeers.QuietNanos)

  /** A client's request was malformed, and is refused: these bytes. */
  def refused(log: Log, now: Long, peer: String, bytes: Array[Byte], from: Int, until: Int): Unit =
    if (from < until)
      if (bytes(from) == ForeignPeers.TlsHandshake)
        tls.warn(log, now)("a client used TLS on a plain HTTP port; it was answered with 400")
      else if (UnexpectedHeader.isIn(bytes, from, until))
        header.warn(log, now)(UnexpectedHeader.warning(peer))
}

private[server] object ForeignPeers {
  private final val QuietNanos = 60L * 1000 * 1000 * 1000

  /** How a client begins that speaks TLS (RFC 8446 section 5.1). */
  private final val TlsHandshake: Byte = 22
}
