package needletail.io.system.tls

import java.security.cert.{CertPathValidatorException, PKIXCertPathChecker, X509Certificate}

import needletail.io.tls.{CertificateText, TlsRefusal}

/**
 * Refuses peers whose trusted authority has expired, or is not valid yet, as OpenSSL does. The JDK does not look at its
 * dates.
 */
private[tls] object AuthorityDates {

  /** Checks who has issued the first certificate of a path. */
  def checker(
      trusted: Seq[X509Certificate],
      refused: CertPathValidatorException => Unit
  ): PKIXCertPathChecker = new Checker(trusted, refused)

  /** Whether one of these may be in the path of a chain, and is not valid now. */
  def concern(chain: Array[X509Certificate], trusted: Array[X509Certificate]): Boolean = trusted.exists {
    one =>
      !isValid(one) && chain.exists(_.getIssuerX500Principal == one.getSubjectX500Principal)
  }

  /** That of several of one name and key which was valid last is as good as the others. */
  private final class Checker(trusted: Seq[X509Certificate], refused: CertPathValidatorException => Unit)
      extends TrustedFirstChecker(refused) {
    private var isFirst = true

    protected def begin(): Unit = isFirst = true

    protected def check(own: X509Certificate): Unit = {
      val issuers = if (isFirst) Certificates.issuers(own, trusted) else Nil
      isFirst = false
      if (issuers.nonEmpty && !issuers.exists(isValid))
        throw refusal(issuers.maxBy(_.getNotAfter.getTime))
    }
  }

  private def refusal(one: X509Certificate): PathRefusal =
    new PathRefusal(text(one), if (isOver(one)) TlsRefusal.Expired else TlsRefusal.Early)

  private def isOver(one: X509Certificate): Boolean = one.getNotBefore.getTime <= System.currentTimeMillis

  /** What is wrong with an authority that is not valid now. */
  def text(one: X509Certificate): String = {
    val moment = if (isOver(one)) one.getNotAfter else one.getNotBefore
    val day    = moment.toInstant.toString.take("2026-12-31".length)
    CertificateText.outOfDate(PathRefusal.nameOf(one), isOver(one), day)
  }

  def isValid(one: X509Certificate): Boolean = {
    val now = System.currentTimeMillis
    one.getNotBefore.getTime <= now && now <= one.getNotAfter.getTime
  }
}
