package needletail.io.system.tls

import java.security.cert.{CertPathValidatorException, X509Certificate}

/**
 * The search for a path from a peer to a trusted certificate. The JDK does not tell a checker of paths whose they are.
 *
 * @param shown the peer's own certificate
 */
private[tls] final class Attempt(val shown: X509Certificate, val purpose: Purpose) {

  /** Why a checker has refused the last path: where the JDK has tried several, it does not say what was wrong. */
  var refusal: CertPathValidatorException = null
}
