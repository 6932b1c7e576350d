package needletail.io.system.tls

import java.security.cert.CertPathValidatorException
import java.security.cert.CertPathValidatorException.BasicReason
import java.security.interfaces.{DSAKey, ECKey, RSAKey}
import java.security.{AlgorithmConstraints, AlgorithmParameters, CryptoPrimitive, Key}
import java.util

/** Forbids keys of less than 112 bits of security, as OpenSSL does at its level 2. */
private[tls] object KeyStrength extends AlgorithmConstraints {
  private type Primitives = util.Set[CryptoPrimitive]

  /** Why a key is too weak; None if it is strong enough. */
  def of(key: Key): Option[String] = key match {
    case rsa: RSAKey => below(rsa.getModulus.bitLength, 2048, "RSA")
    case ec: ECKey   => below(ec.getParams.getOrder.bitLength, 224, "EC")
    case dsa: DSAKey => Option(dsa.getParams).flatMap(all => below(all.getP.bitLength, 2048, "DSA"))
    case _           => None
  }

  def refusal(why: String): CertPathValidatorException =
    new CertPathValidatorException(why, null, null, -1, BasicReason.ALGORITHM_CONSTRAINED)

  private def below(bits: Int, least: Int, kind: String): Option[String] =
    if (bits >= least) None else Some(s"$kind key of $bits bits; the minimum is $least")

  def permits(uses: Primitives, algorithm: String, parameters: AlgorithmParameters): Boolean = true
  def permits(uses: Primitives, key: Key): Boolean                                           = of(key).isEmpty
  def permits(uses: Primitives, algorithm: String, key: Key, parameters: AlgorithmParameters): Boolean =
    of(key).isEmpty
}
