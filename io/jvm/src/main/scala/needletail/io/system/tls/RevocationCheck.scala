package needletail.io.system.tls

import java.security.GeneralSecurityException
import java.security.cert.CertPathValidatorException.BasicReason
import java.security.cert.{
  CRLReason,
  CertPathValidatorException,
  Certificate,
  CertificateRevokedException,
  PKIXCertPathChecker,
  X509CRL,
  X509Certificate
}
import java.util
import java.util.{Collections, Date}

/**
 * Checks the certificates of a path against lists of revoked ones (RFC 5280 section 6.3), with OpenSSL's results. The
 * JDK's own check searches for other keys that may have signed a list where one is missing or has a wrong signature,
 * which takes seconds and ends in a StackOverflowError; and it takes no list that does not say when it ends.
 *
 * For each certificate there must be a list of its issuer's, signed by the issuer's key, that is valid now: it has
 * begun and not ended, or does not say when it ends. That is against RFC 5280 section 5.1.2.5, but it is the operator
 * who has provided the list.
 *
 * @param trusted the certificates that may be at the beginning of a path, and are not checked there
 */
private[tls] final class RevocationCheck(trusted: Set[X509Certificate], lists: Seq[X509CRL])
    extends PKIXCertPathChecker {
  private var above: X509Certificate = null // the issuer's; null: a trusted one is

  // paths are checked from the trusted certificate on
  override def init(forward: Boolean): Unit                               = above = null
  override def isForwardCheckingSupported: Boolean                        = false
  override def getSupportedExtensions: util.Set[String]                   = null
  override def check(c: Certificate, left: util.Collection[String]): Unit = c match {
    case certificate: X509Certificate =>
      check(certificate, if (above eq null) trusted else Set(above))
      above = certificate
    case _ => ()
  }

  /**
   * Throws CertPathValidatorException if the certificate was revoked, or there is no list that says whether.
   *
   * @param others among them the issuer's certificate
   */
  def check(certificate: X509Certificate, others: Iterable[X509Certificate]): Unit = {
    val issuer  = certificate.getIssuerX500Principal
    val now     = new Date
    val signers = others.filter(c => c.getSubjectX500Principal == issuer && maySign(c))
    val usable  = lists.filter { list =>
      list.getIssuerX500Principal == issuer && isCurrent(list, now) &&
      ListScope.includes(list, certificate) && signers.exists(isSigned(list, _))
    }
    if (usable.isEmpty)
      throw failure("there is no list of its issuer's", null, BasicReason.UNDETERMINED_REVOCATION_STATUS)
    for (list <- usable; entry <- Option(list.getRevokedCertificate(certificate))) {
      val reason = Option(entry.getRevocationReason).getOrElse(CRLReason.UNSPECIFIED)
      val cause  =
        new CertificateRevokedException(entry.getRevocationDate, reason, issuer, Collections.emptyMap)
      throw failure(cause.getMessage, cause, BasicReason.REVOKED)
    }
  }

  private def isCurrent(list: X509CRL, now: Date): Boolean =
    !list.getThisUpdate.after(now) && (list.getNextUpdate == null || now.before(list.getNextUpdate))

  /** Where a key's use is limited, it must include lists (RFC 5280 section 4.2.1.3). */
  private def maySign(c: X509Certificate): Boolean = c.getKeyUsage == null || c.getKeyUsage()(6)

  private def isSigned(list: X509CRL, by: X509Certificate): Boolean =
    try {
      list.verify(by.getPublicKey)
      true
    } catch { case _: GeneralSecurityException => false }

  private def failure(why: String, cause: Throwable, reason: CertPathValidatorException.Reason) =
    new CertPathValidatorException(why, cause, null, -1, reason)
}
