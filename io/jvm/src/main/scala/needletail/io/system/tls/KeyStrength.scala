package needletail.io.system.tls

import java.io.IOException
import java.security.cert.{CertPathValidatorException, X509Certificate}
import java.security.cert.CertPathValidatorException.BasicReason
import java.security.interfaces.{DSAKey, ECKey, RSAKey}
import java.security.spec.PSSParameterSpec
import java.security.{
  AlgorithmConstraints,
  AlgorithmParameters,
  CryptoPrimitive,
  GeneralSecurityException,
  Key
}
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

  /** The same for the signature of a certificate. */
  def ofSignature(certificate: X509Certificate): Option[String] = {
    val hash = certificate.getSigAlgName match {
      case "RSASSA-PSS" => hashOfPss(certificate)
      case name         => name.takeWhile(_ != 'w') // SHA1withRSA, or an algorithm that has its own
    }
    if (!WeakHashes(hash.replace("-", "").toUpperCase)) None
    else Some(s"signature by ${hash.replace("SHA1", "SHA-1")}; the minimum is SHA-224")
  }

  private val WeakHashes = Set("SHA1", "SHA", "MD2", "MD4", "MD5")

  /** SHA-1 if it is not among its parameters (RFC 4055 section 3.1), or if nobody can read these. */
  private def hashOfPss(certificate: X509Certificate): String =
    try {
      val parameters = AlgorithmParameters.getInstance("RSASSA-PSS")
      parameters.init(certificate.getSigAlgParams)
      parameters.getParameterSpec(classOf[PSSParameterSpec]).getDigestAlgorithm
    } catch { case _: GeneralSecurityException | _: IOException | _: RuntimeException => "SHA-1" }

  def refusal(why: String): CertPathValidatorException =
    new CertPathValidatorException(why, null, null, -1, BasicReason.ALGORITHM_CONSTRAINED)

  private def below(bits: Int, least: Int, kind: String): Option[String] =
    if (bits >= least) None else Some(s"$kind key of $bits bits; the minimum is $least")

  def permits(uses: Primitives, algorithm: String, parameters: AlgorithmParameters): Boolean = true
  def permits(uses: Primitives, key: Key): Boolean                                           = of(key).isEmpty
  def permits(uses: Primitives, algorithm: String, key: Key, parameters: AlgorithmParameters): Boolean =
    of(key).isEmpty
}
