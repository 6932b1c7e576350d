package needletail.io.system.tls

import java.security.GeneralSecurityException
import java.security.cert.{
  CertPathValidatorException,
  CertificateException,
  PKIXCertPathChecker,
  X509Certificate
}

/**
 * Refuses peers by a weak key or signature of theirs, or of one of their authorities (see [[KeyStrength]]). The JDK does
 * not look at the key of the trusted one, takes RSA keys from 1024 bits on for the others, and signatures by SHA-1 where
 * the authority is none of its own. How the trusted one is signed does not matter.
 */
private[tls] object PathStrength {

  /** Checks the certificates of a path, the trusted one included. */
  def checker(
      trusted: Seq[X509Certificate],
      refused: CertPathValidatorException => Unit
  ): PKIXCertPathChecker =
    new PathChecker(trusted, refused)

  /**
   * For a trust manager that takes no checkers: what it has accepted is checked for a path without weak keys, from an
   * authority that is valid, and whose limits are kept.
   */
  def check(trusted: Array[X509Certificate]): (Array[X509Certificate], Purpose) => Unit = {
    val isOneWeak                                                = trusted.exists(isWeak)
    val limiting                                                 = trusted.filter(AuthorityLimits.areIn)
    def isSound(chain: Array[X509Certificate], purpose: Purpose) =
      !isOneWeak && !AuthorityDates.concern(chain, trusted) &&
        !AuthorityLimits.concern(chain, limiting, purpose) &&
        !chain.exists(c => isWeak(c) || KeyStrength.ofSignature(c).isDefined)
    (chain, purpose) =>
      if (!trusted.contains(chain(0)) && !isSound(chain, purpose)) {
        val attempt  = new Attempt(chain(0), purpose)
        val checkers = Seq(
          checker(trusted.toSeq, e => attempt.refusal = e),
          AuthorityDates.checker(trusted.toSeq, e => attempt.refusal = e),
          AuthorityLimits.checker(trusted.toSeq, () => attempt, isMarked = false)
        )
        try { val _ = Trust.path(chain, trusted, checkers) }
        catch {
          case e: GeneralSecurityException =>
            throw new CertificateException(if (attempt.refusal eq null) e else attempt.refusal)
        }
      }
  }

  private def isWeak(certificate: X509Certificate): Boolean =
    KeyStrength.of(certificate.getPublicKey).isDefined

  private final class PathChecker(trusted: Seq[X509Certificate], refused: CertPathValidatorException => Unit)
      extends TrustedFirstChecker(refused) {
    private var isFirst = true

    protected def begin(): Unit = isFirst = true

    protected def check(own: X509Certificate): Unit = {
      if (isFirst) Certificates.issuers(own, trusted).foreach(ofAuthority(_, None))
      isFirst = false
      val signature = KeyStrength.ofSignature(own)
      if (own.getBasicConstraints >= 0) ofAuthority(own, signature)
      else KeyStrength.of(own.getPublicKey).orElse(signature).foreach(why => throw KeyStrength.refusal(why))
    }

    private def ofAuthority(authority: X509Certificate, signature: Option[String]): Unit =
      KeyStrength.of(authority.getPublicKey).orElse(signature).foreach { why =>
        val name = DistinguishedNames.text(authority.getSubjectX500Principal)
        throw KeyStrength.refusal(s"that of its authority $name, by its $why")
      }
  }
}
