package needletail.io.system.tls

import java.security.GeneralSecurityException
import java.security.cert.{
  CertPathValidatorException,
  CertificateException,
  PKIXCertPathChecker,
  X509Certificate
}

/**
 * Refuses peers by a weak key of one of their authorities (see [[KeyStrength]]). The JDK does not look at that of the
 * trusted one, and takes RSA keys from 1024 bits on for the others.
 */
private[tls] object PathStrength {

  /** Checks the certificates of a path, the trusted one included. */
  def checker(
      trusted: Seq[X509Certificate],
      refused: CertPathValidatorException => Unit
  ): PKIXCertPathChecker =
    new PathChecker(trusted, refused)

  /** For a trust manager that takes no checkers: what it has accepted is checked for a path without weak keys. */
  def check(trusted: Array[X509Certificate]): Array[X509Certificate] => Unit = {
    val isOneWeak = trusted.exists(isWeak)
    chain =>
      if ((isOneWeak || chain.exists(isWeak)) && !trusted.contains(chain(0))) {
        var why: CertPathValidatorException = null
        try { val _ = Trust.path(chain, trusted, Some(checker(trusted.toSeq, e => why = e))) }
        catch {
          case e: GeneralSecurityException => throw new CertificateException(if (why eq null) e else why)
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
      if (isFirst) Certificates.issuers(own, trusted).foreach(ofAuthority)
      isFirst = false
      if (own.getBasicConstraints >= 0) ofAuthority(own)
      else KeyStrength.of(own.getPublicKey).foreach(why => throw KeyStrength.refusal(why))
    }

    private def ofAuthority(authority: X509Certificate): Unit =
      KeyStrength.of(authority.getPublicKey).foreach { why =>
        val name = DistinguishedNames.text(authority.getSubjectX500Principal)
        throw KeyStrength.refusal(s"that of its authority $name, by its $why")
      }
  }
}
