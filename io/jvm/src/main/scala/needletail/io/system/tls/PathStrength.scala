package needletail.io.system.tls

import java.security.cert.{CertPathValidatorException, PKIXCertPathChecker, X509Certificate}

/**
 * For a trust manager that takes no checkers: what it has accepted is checked for a path without weak keys, from an
 * authority that is valid, and whose limits are kept.
 */
private[tls] final class PathStrength(trusted: Array[X509Certificate]) {
  private val isOneWeak = trusted.exists(PathStrength.isWeak)
  private val limiting  = trusted.filter(AuthorityLimits.areIn)

  private def isSound(chain: Array[X509Certificate], purpose: Purpose) =
    !isOneWeak && !AuthorityDates.concern(
      chain,
      trusted
    ) && !AuthorityLimits.concern(chain, limiting, purpose) &&
      !chain.exists(c => PathStrength.isWeak(c) || KeyStrength.ofSignature(c).isDefined)

  /** Throws CertificateException if there is no such path. */
  def check(chain: Array[X509Certificate], purpose: Purpose): Unit =
    if (!trusted.contains(chain(0)) && !isSound(chain, purpose)) { val _ = find(chain, purpose) }

  /** That path, with the trusted certificate. Throws CertificateException if there is none. */
  def find(chain: Array[X509Certificate], purpose: Purpose): Seq[X509Certificate] = {
    val attempt  = new Attempt(chain(0), purpose)
    val checkers = Seq(
      PathStrength.checker(trusted.toSeq, e => attempt.refusal = e),
      AuthorityDates.checker(trusted.toSeq, e => attempt.refusal = e),
      AuthorityLimits.checker(trusted.toSeq, () => attempt, isMarked = false)
    )
    Trust.sought(chain, trusted, checkers, attempt)
  }
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
