package needletail.io.system.tls

import java.security.cert.{CertificateParsingException, X509Certificate}

/**
 * Whose certificates they are that are checked: those of clients or of servers.
 *
 * @param peers in messages
 */
private[tls] final class Purpose private (val peers: String, extended: String, uses: Set[Int]) {

  /** Whether a certificate, or what an authority has issued, is for it by extendedKeyUsage (RFC 5280 section 4.2.1.12). */
  def permits(certificate: X509Certificate): Boolean =
    try {
      val all = certificate.getExtendedKeyUsage
      (all eq null) || all.contains(extended) || all.contains(Purpose.Any)
    } catch { case _: CertificateParsingException => false }

  /** Whether a peer may sign or agree on keys by its own certificate (RFC 5280 section 4.2.1.3). */
  def permitsKey(certificate: X509Certificate): Boolean = {
    val all = certificate.getKeyUsage
    (all eq null) || uses.exists(all(_))
  }
}

private[tls] object Purpose {
  private final val Any = "2.5.29.37.0"

  // bits of keyUsage
  private final val DigitalSignature = 0
  private final val KeyEncipherment  = 2
  private final val KeyAgreement     = 4

  val Client = new Purpose("clients", "1.3.6.1.5.5.7.3.2", Set(DigitalSignature, KeyAgreement))
  val Server =
    new Purpose("servers", "1.3.6.1.5.5.7.3.1", Set(DigitalSignature, KeyEncipherment, KeyAgreement))
}
