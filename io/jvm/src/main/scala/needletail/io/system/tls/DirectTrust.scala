package needletail.io.system.tls

import java.security.cert.{CertPathValidatorException, CertificateException, X509Certificate}

import needletail.io.tls.{CertificateText, TlsRefusal}

/**
 * Checks certificates of peers that are themselves among the trusted ones. The JDK accepts them as they are: without a
 * path there is nothing to validate (RFC 5280 section 6), so it looks neither at dates, keys and their uses nor at
 * lists of revoked certificates.
 */
private[tls] object DirectTrust {

  /**
   * Throws CertificateException if the chain's first certificate is trusted but not valid.
   *
   * @param lists of revoked certificates, of which one must be its issuer's; None if there are no lists
   */
  def check(trusted: Set[X509Certificate], lists: Option[RevokedCertificates])(
      chain: Array[X509Certificate],
      purpose: Purpose
  ): Unit =
    if (trusted(chain(0))) {
      val own = chain(0)
      own.checkValidity()
      try {
        KeyStrength.of(own.getPublicKey).foreach(weak => throw KeyStrength.refusal(weak))
        if (!purpose.permits(own) || !purpose.permitsKey(own))
          throw new PathRefusal(CertificateText.notFor(purpose.peers, None), TlsRefusal.Invalid)
        lists.foreach(_.checkTrusted(own, trusted, chain.toSeq.tail))
      } catch { case e: CertPathValidatorException => throw new CertificateException(e) }
    }
}
