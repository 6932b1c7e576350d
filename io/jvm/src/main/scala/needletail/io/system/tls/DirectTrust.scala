package needletail.io.system.tls

import java.security.cert.CertPathValidatorException.BasicReason
import java.security.cert.{
  CRLReason,
  CertPathValidatorException,
  CertificateException,
  CertificateRevokedException,
  X509CRL,
  X509Certificate
}
import java.util.{Collections, Date}

/**
 * Checks certificates of peers that are themselves among the trusted ones. The JDK accepts them as they are: without a
 * path there is nothing to validate (RFC 5280 section 6), so it looks neither at dates and keys nor at lists of revoked
 * certificates.
 */
private[tls] object DirectTrust {

  /**
   * Throws CertificateException if the chain's first certificate is trusted but not valid.
   *
   * @param lists of revoked certificates, of which one must be its issuer's; None if there are no lists
   */
  def check(trusted: Set[X509Certificate], lists: Option[Seq[X509CRL]])(chain: Array[X509Certificate]): Unit =
    if (trusted(chain(0))) {
      val own = chain(0)
      own.checkValidity()
      KeyStrength.of(own.getPublicKey).foreach(weak => refuse(weak, BasicReason.ALGORITHM_CONSTRAINED))
      lists.foreach(revoked(own, _))
    }

  private def revoked(own: X509Certificate, lists: Seq[X509CRL]): Unit = {
    val issuer = own.getIssuerX500Principal
    val now    = new Date
    val usable = lists.filter(list =>
      list.getIssuerX500Principal == issuer && (list.getNextUpdate == null || now.before(list.getNextUpdate))
    )
    if (usable.isEmpty) refuse("there is no list of its issuer's", BasicReason.UNDETERMINED_REVOCATION_STATUS)
    for (list <- usable; entry <- Option(list.getRevokedCertificate(own)))
      throw new CertificateRevokedException(
        entry.getRevocationDate,
        Option(entry.getRevocationReason).getOrElse(CRLReason.UNSPECIFIED),
        issuer,
        Collections.emptyMap
      )
  }

  private[tls] def refuse(why: String, reason: CertPathValidatorException.Reason): Nothing =
    throw new CertificateException(new CertPathValidatorException(why, null, null, -1, reason))
}
