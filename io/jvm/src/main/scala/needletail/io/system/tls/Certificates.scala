package needletail.io.system.tls

import java.math.BigInteger
import java.security.cert.{CertificateParsingException, X509Certificate}
import java.security.interfaces.EdECPublicKey
import java.security.{GeneralSecurityException, MessageDigest, PublicKey}
import java.util.Locale.ROOT
import java.util.{Base64, HexFormat}
import javax.naming.NamingException
import javax.naming.ldap.LdapName

import scala.jdk.CollectionConverters.*

import needletail.io.dns.AddressText
import needletail.io.tls.CertificateInfo

/** Properties of an X.509 certificate. */
private[io] object Certificates {
  def info(certificate: X509Certificate): CertificateInfo = CertificateInfo(
    DistinguishedNames.text(certificate.getSubjectX500Principal),
    alternatives(certificate).flatMap {
      case (Ip, name)   => Some("IP:" + address(name))
      case (kind, name) => Kinds.get(kind).map(_ + name)
    },
    DistinguishedNames.text(certificate.getIssuerX500Principal),
    serial(certificate.getSerialNumber),
    certificate.getNotBefore.getTime,
    certificate.getNotAfter.getTime,
    HexFormat.of.formatHex(sha256(certificate.getEncoded))
  )

  /** In whole bytes, as OpenSSL prints it. */
  private def serial(number: BigInteger): String = {
    val digits = number.abs.toString(16).toUpperCase(ROOT)
    (if (number.signum < 0) "-" else "") + (if (digits.length % 2 == 0) digits else s"0$digits")
  }

  /** The host names that it is for, in lower case; those of its subject if it has no alternative names. */
  def hosts(certificate: X509Certificate): Seq[String] = {
    val names = alternatives(certificate).collect { case (Dns, name) => name.toLowerCase(ROOT) }
    if (names.nonEmpty) names else commonName(certificate).toSeq
  }

  /** `RSA`, `EC`, `Ed25519` and so on. */
  def kindOfKey(certificate: X509Certificate): String = certificate.getPublicKey match {
    case key: EdECPublicKey => key.getParams.getName
    case key                => if (key.getAlgorithm == "RSASSA-PSS") "RSA-PSS" else key.getAlgorithm
  }

  /** SHA-256 of its SubjectPublicKeyInfo in base64. */
  def pin(certificate: X509Certificate): String =
    Base64.getEncoder.encodeToString(sha256(certificate.getPublicKey.getEncoded))

  /** Those of some certificates that may have issued it; by their keys, if several have its issuer's name. */
  def issuers(of: X509Certificate, all: Seq[X509Certificate]): Seq[X509Certificate] =
    all.filter(_.getSubjectX500Principal == of.getIssuerX500Principal) match {
      case several if several.size > 1 => several.filter(isBy(_)(of.verify(_)))
      case one                         => one
    }

  /** Whether verifying with the issuer's key succeeds. The JDK remembers for a list that it does. */
  def isBy(issuer: X509Certificate)(verify: PublicKey => Unit): Boolean =
    try {
      verify(issuer.getPublicKey)
      true
    } catch { case _: GeneralSecurityException => false }

  private def commonName(certificate: X509Certificate): Option[String] =
    try
      new LdapName(certificate.getSubjectX500Principal.getName).getRdns.asScala.reverseIterator
        .map(_.toAttributes.get("CN")).find(_ != null).map(_.get().toString.toLowerCase(ROOT))
    catch { case _: NamingException => None }

  private def alternatives(certificate: X509Certificate): Seq[(Int, String)] =
    try
      Option(certificate.getSubjectAlternativeNames).toSeq.flatMap(_.asScala).map(_.asScala.toSeq).collect {
        case Seq(kind: Integer, name: String) => (kind.intValue, name)
      }
    catch { case _: CertificateParsingException => Nil }

  /** An address of the JDK in the form of RFC 5952. */
  private def address(text: String): String =
    AddressText.parse(text) match {
      case null => text
      case ip   => AddressText.host(ip)
    }

  private def sha256(bytes: Array[Byte]): Array[Byte] = MessageDigest.getInstance("SHA-256").digest(bytes)

  private final val Dns = 2
  private final val Ip  = 7
  private val Kinds     = Map(1 -> "email:", Dns -> "DNS:", 6 -> "URI:")
}
