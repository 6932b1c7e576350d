package needletail.io.system.tls

import java.nio.ByteBuffer
import javax.net.ssl.SSLException

/**
 * An alert that is not encrypted although it should be (RFC 8446 section 6). OpenSSL 3 sends one if it does not trust a
 * server's certificate with TLS 1.3. The JDK tries to decrypt it, which fails. Anybody on the way could have sent it, but
 * the handshake has failed in any case: it only tells why.
 */
private[tls] object PlainAlert {

  /** What the engine would have thrown for the record at `at`, instead of `e`, if it is such an alert; otherwise `e`. */
  def in(record: ByteBuffer, at: Int, e: SSLException): SSLException =
    if (!isAlert(record, at)) e
    else {
      val description = record.get(at + Length - 1) & 0xff
      if (Harmless(description)) e
      else
        new SSLException(s"Received fatal alert: ${Names.getOrElse(description, s"number $description")}", e)
    }

  /** Whether the record at `at` is one by which the peer only ends the connection, and does not say why. */
  def isEnd(record: ByteBuffer, at: Int): Boolean =
    isAlert(record, at) && Harmless(record.get(at + Length - 1) & 0xff)

  private def isAlert(record: ByteBuffer, at: Int): Boolean =
    record.limit() - at >= Length && record.get(at) == 21 && record.get(at + 1) == 3 &&
      record.getShort(at + 3) == 2 && (record.get(at + 5) == 1 || record.get(at + 5) == 2)

  private final val Length = 7

  private val Harmless = Set(0, 90) // close_notify and user_canceled

  /** RFC 8446 section 6. */
  private val Names = Map(
    10  -> "unexpected_message",
    20  -> "bad_record_mac",
    22  -> "record_overflow",
    40  -> "handshake_failure",
    42  -> "bad_certificate",
    43  -> "unsupported_certificate",
    44  -> "certificate_revoked",
    45  -> "certificate_expired",
    46  -> "certificate_unknown",
    47  -> "illegal_parameter",
    48  -> "unknown_ca",
    49  -> "access_denied",
    50  -> "decode_error",
    51  -> "decrypt_error",
    70  -> "protocol_version",
    71  -> "insufficient_security",
    80  -> "internal_error",
    86  -> "inappropriate_fallback",
    109 -> "missing_extension",
    110 -> "unsupported_extension",
    112 -> "unrecognized_name",
    113 -> "bad_certificate_status_response",
    115 -> "unknown_psk_identity",
    116 -> "certificate_required",
    120 -> "no_application_protocol"
  )
}
