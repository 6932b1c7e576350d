package needletail.load.engine

import java.io.ByteArrayInputStream
import java.nio.charset.StandardCharsets.US_ASCII
import java.security.cert.{Certificate, CertificateFactory}
import java.security.spec.ECGenParameterSpec
import java.security.{KeyPair, KeyPairGenerator, KeyStore, Signature}
import java.time.format.DateTimeFormatter
import java.time.{Duration, Instant, ZoneOffset}
import javax.net.ssl.{KeyManagerFactory, SSLContext}

/**
 * The certificate of the warm-up's server, with a new key in each process and signed by itself: the JDK makes none for
 * programs. As little of X.509 (RFC 5280 section 4.1) as it can be.
 */
private[engine] object WarmUpCertificate {

  /** The context of a server with such a certificate. */
  def context(): SSLContext = {
    val pair     = newKeys()
    val store    = KeyStore.getInstance("PKCS12")
    val managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm)
    store.load(null, null)
    store.setKeyEntry("warm-up", pair.getPrivate, NoPassword, Array(certificate(pair)))
    managers.init(store, NoPassword)
    val context = SSLContext.getInstance("TLS")
    context.init(managers.getKeyManagers, null, null)
    context
  }

  private def newKeys(): KeyPair = {
    val generator = KeyPairGenerator.getInstance("EC")
    generator.initialize(new ECGenParameterSpec("secp256r1"))
    generator.generateKeyPair()
  }

  private def certificate(pair: KeyPair): Certificate = {
    val now  = Instant.now
    val name = sequence(element(Set, sequence(CommonName, element(Utf8, "warm-up".getBytes(US_ASCII)))))
    val told = sequence(
      element(Version, Version3),
      element(Integer, Array[Byte](1)),
      EcdsaWithSha256,
      name,
      sequence(time(now.minus(Duration.ofDays(1))), time(now.plus(Duration.ofDays(1)))),
      name,
      pair.getPublic.getEncoded
    )
    val signature = Signature.getInstance("SHA256withECDSA")
    signature.initSign(pair.getPrivate)
    signature.update(told)
    val whole = sequence(told, EcdsaWithSha256, element(BitString, 0.toByte +: signature.sign()))
    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(whole))
  }

  // DER: a tag, the length, the content.

  private final val Integer   = 0x02
  private final val BitString = 0x03
  private final val ObjectId  = 0x06
  private final val Utf8      = 0x0c
  private final val UtcTime   = 0x17
  private final val Sequence  = 0x30
  private final val Set       = 0x31
  private final val Version   = 0xa0

  private val Version3        = element(Integer, Array[Byte](2))
  private val CommonName      = element(ObjectId, Array[Byte](0x55, 4, 3))
  private val EcdsaWithSha256 =
    sequence(element(ObjectId, Array(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2).map(_.toByte)))

  private val NoPassword = Array.emptyCharArray

  private def element(tag: Int, content: Array[Byte]): Array[Byte] = {
    val n      = content.length
    val length = if (n < 128) Array(n) else if (n < 256) Array(0x81, n) else Array(0x82, n >> 8, n)
    (tag +: length).map(_.toByte) ++ content
  }

  private def sequence(parts: Array[Byte]*): Array[Byte] = element(Sequence, parts.toArray.flatten)

  private def time(at: Instant): Array[Byte] =
    element(
      UtcTime,
      DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC).format(at).getBytes(US_ASCII)
    )
}
