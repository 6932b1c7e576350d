package needletail.io.system.tls

import java.security.cert.{CertPathValidatorException, Certificate, PKIXCertPathChecker, X509Certificate}
import java.util.{Collection, Set as JavaSet}

/**
 * Sees the certificates of a path one after the other, from that which a trusted one has issued to the peer's.
 *
 * @param refused is told why one is refused: where the JDK has tried several paths, it does not say
 */
private[tls] abstract class TrustedFirstChecker(refused: CertPathValidatorException => Unit)
    extends PKIXCertPathChecker {

  /** Another path begins. */
  protected def begin(): Unit

  /** Throws CertPathValidatorException if it is refused. */
  protected def check(own: X509Certificate): Unit

  final override def init(forward: Boolean): Unit = {
    if (forward) throw new CertPathValidatorException("it checks from the trusted certificate on")
    begin()
  }
  final override def isForwardCheckingSupported: Boolean     = false
  final override def getSupportedExtensions: JavaSet[String] = null

  final override def check(certificate: Certificate, unresolved: Collection[String]): Unit =
    certificate match {
      case own: X509Certificate =>
        try check(own)
        catch {
          case e: CertPathValidatorException =>
            refused(e)
            throw e
        }
      case _ => throw new CertPathValidatorException("it is no X.509 certificate")
    }
}
