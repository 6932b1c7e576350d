package needletail.io.system.tls

import java.security.cert.CertPathValidatorException.BasicReason
import java.security.cert.{CertPathValidatorException, PKIXCertPathChecker, X509Certificate}

import needletail.io.tls.CertificateText

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

  /** What is wrong with a path if that is the date of an authority. */
  def wrong(e: CertPathValidatorException): Option[String] = e match {
    case own: OutOfDate => Some(own.getMessage)
    case _              =>
      // the JDK's, of an authority that is not trusted itself
      val isOfDate = e.getReason == BasicReason.EXPIRED || e.getReason == BasicReason.NOT_YET_VALID
      if (!isOfDate || (e.getCertPath eq null) || e.getIndex <= 0) None
      else
        e.getCertPath.getCertificates.get(e.getIndex) match {
          case one: X509Certificate => Some(text(one))
          case _                    => None
        }
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
        throw new OutOfDate(issuers.maxBy(_.getNotAfter.getTime))
    }
  }

  private final class OutOfDate(one: X509Certificate)
      extends CertPathValidatorException(text(one), null, null, -1, BasicReason.UNSPECIFIED)

  private def text(one: X509Certificate): String = {
    val isOver = one.getNotBefore.getTime <= System.currentTimeMillis
    val moment = if (isOver) one.getNotAfter else one.getNotBefore
    val name   = DistinguishedNames.text(one.getSubjectX500Principal)
    CertificateText.outOfDate(name, isOver, moment.toInstant.toString.take("2026-12-31".length))
  }

  private def isValid(one: X509Certificate): Boolean = {
    val now = System.currentTimeMillis
    one.getNotBefore.getTime <= now && now <= one.getNotAfter.getTime
  }
}
