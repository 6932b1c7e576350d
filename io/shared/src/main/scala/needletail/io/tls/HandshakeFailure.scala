package needletail.io.tls

/**
 * Why handshakes of a server failed, in a few kinds, whatever clients do.
 *
 * @param name of the kind, for metrics
 */
final class HandshakeFailure private (val name: String) {
  override def toString: String = name
}

object HandshakeFailure {

  /** The client had sent nothing when the connection ended: no handshake was begun. */
  val Silent: HandshakeFailure = new HandshakeFailure("silent")

  /** The client does not use TLS. */
  val Plain: HandshakeFailure = new HandshakeFailure("plain")

  /** The client's certificate is missing, or was refused. */
  val Certificate: HandshakeFailure = new HandshakeFailure("certificate")

  /** The client refused by an alert, as it does if it does not trust the server's certificate. */
  val Alert: HandshakeFailure = new HandshakeFailure("alert")

  /** Client and server have no version, cipher or protocol in common, or the client's messages are malformed. */
  val Protocol: HandshakeFailure = new HandshakeFailure("protocol")

  /** The connection ended before: by the client, or by the server, as at the end of `TlsLimits.timeout`. */
  val Incomplete: HandshakeFailure = new HandshakeFailure("incomplete")

  /** The server had more handshakes to compute than it could, and computed nothing for this one. */
  val Refused: HandshakeFailure = new HandshakeFailure("refused")

  /** Whether an error is the peer's alert about this side's certificate (RFC 8446 §6.2), as the libraries put it. */
  private[io] def isOfCertificate(error: String): Boolean = {
    val text = error.replace('_', ' ')
    text.contains("alert") && (text.contains("certificate") || text.contains("unknown ca"))
  }

  /** The same for those of a client that does not accept its server's certificate. */
  private[io] def isOfOwnCertificate(error: String): Boolean =
    isOfCertificate(error) && Unaccepted.contains(alertIn(error))

  private[io] def notAccepted(error: String): String =
    s"the client does not accept the server's certificate (alert ${alertIn(error)})"

  private[io] final val NoVersion = "the client supports no TLS version of this server"

  private val Unaccepted = Set("bad_certificate", "certificate_unknown", "unknown_ca")

  /** The name of an alert, as in RFC 8446. */
  private[io] def alertIn(error: String): String = {
    val text = error.toLowerCase.replace(' ', '_')
    text.substring(text.indexOf("alert") + "alert".length).dropWhile(c => c == ':' || c == '_')
  }

  /** Whether it tells of an alert that the peer has sent. */
  private[io] def isAlert(error: Throwable): Boolean =
    error.getMessage != null && error.getMessage.contains("alert")

  val all: Seq[HandshakeFailure] = Vector(Silent, Plain, Certificate, Alert, Protocol, Incomplete, Refused)
}
