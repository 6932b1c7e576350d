package needletail.io.tls

import java.io.IOException

import scala.annotation.tailrec

/**
 * A TLS handshake that was refused, by this side or by the peer. Without a stack trace: its cause may have one.
 *
 * @param about     what for, in a word or two of a small number, so that a log can tell one from another
 * @param isLasting whether a client that tries again would most likely be refused again
 */
private[needletail] final class TlsRefusal private (
    text: String,
    val about: String,
    val isLasting: Boolean,
    cause: Throwable
) extends IOException(text, cause) {
  override def fillInStackTrace(): Throwable = this
}

private[needletail] object TlsRefusal {

  // What certificates are refused for.
  private[io] final val Missing   = "none"
  private[io] final val Expired   = "expired"
  private[io] final val Early     = "not valid yet"
  private[io] final val Revoked   = "revoked"
  private[io] final val Unchecked = "not checked for revocation"
  private[io] final val Weak      = "too weak"
  private[io] final val Untrusted = "unknown issuer"
  private[io] final val NotPinned = "not pinned"
  private[io] final val OwnCheck  = "own check"
  private[io] final val Misnamed  = "wrong name"
  private[io] final val Invalid   = "invalid"

  // Why servers refuse clients otherwise.
  private[io] final val Version = "no common version"
  private[io] final val Name    = "unknown name"

  private[io] def ofCertificate(about: String, text: String, cause: Throwable = null): IOException =
    new TlsRefusal(text, about, isLasting = true, cause)

  /** By the peer's alert, which `said` names. */
  private[io] def byAlert(said: String, text: String, cause: Throwable = null): IOException = {
    val alert = HandshakeFailure.alertIn(said)
    new TlsRefusal(text, alert, Lasting.contains(alert), cause)
  }

  private[io] def ofClient(about: String, text: String, cause: Throwable = null): IOException =
    new TlsRefusal(text, about, isLasting = false, cause)

  /** Whether an attempt has failed for a reason that another one at the same server would find again. */
  @tailrec
  def isLasting(error: Throwable, depth: Int = 0): Boolean = error match {
    case null                => false
    case refusal: TlsRefusal => refusal.isLasting
    case _                   => depth < MostCauses && isLasting(error.getCause, depth + 1)
  }

  private final val MostCauses = 8

  /** Alerts about certificates and about what server and client support (RFC 8446 §6.2). */
  private val Lasting = Set(
    "bad_certificate",
    "unsupported_certificate",
    "certificate_revoked",
    "certificate_expired",
    "certificate_unknown",
    "certificate_required",
    "unknown_ca",
    "access_denied",
    "handshake_failure",
    "protocol_version",
    "insufficient_security",
    "unrecognized_name",
    "no_application_protocol"
  )
}
