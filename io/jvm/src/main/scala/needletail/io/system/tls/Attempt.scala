package needletail.io.system.tls

import java.security.cert.{CertPathValidatorException, PKIXCertPathChecker, X509Certificate}

/**
 * The search for a path from a peer to a trusted certificate. The JDK does not tell a checker of paths whose they are.
 *
 * @param shown the peer's own certificate
 */
private[tls] final class Attempt(val shown: X509Certificate, val purpose: Purpose) {

  /** Why a checker has refused the last path: where the JDK has tried several, it does not say what was wrong. */
  var refusal: CertPathValidatorException = null

  /**
   * The certificates of the last path that all checkers have accepted, from that which a trusted one has issued to the
   * peer's; empty as long as there is none.
   */
  var path: Seq[X509Certificate] = Nil
}

private[tls] object Attempt {

  /** Keeps the path that has passed all checkers before it. */
  def keeper(attempt: () => Attempt): PKIXCertPathChecker = new Keeper(attempt)

  private final class Keeper(attempt: () => Attempt) extends TrustedFirstChecker(_ => ()) {
    private var seen = Vector.empty[X509Certificate]

    protected def begin(): Unit = {
      seen = Vector.empty
      attempt().path = Nil
    }

    protected def check(own: X509Certificate): Unit = {
      seen :+= own
      if (own == attempt().shown) attempt().path = seen
    }
  }
}
