package needletail.io.system

import java.io.{ByteArrayInputStream, IOException}
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, NoSuchFileException, Path}
import java.security.cert.{Certificate, CertificateException, CertificateFactory}
import java.security.spec.{InvalidKeySpecException, PKCS8EncodedKeySpec}
import java.security.{
  GeneralSecurityException,
  KeyFactory,
  KeyStore,
  KeyStoreException,
  NoSuchAlgorithmException,
  PrivateKey,
  Signature
}
import java.util.Base64
import javax.net.ssl.{KeyManagerFactory, SSLContext}

import scala.jdk.CollectionConverters.*

/** Keys and certificates from PEM files (RFC 7468). */
private[io] object PemKey {

  /** An SSLContext with a server's certificate, those of its issuers, and its key. */
  def context(certificates: Path, key: Path): SSLContext = {
    val chain   = this.certificates(certificates)
    val secret  = privateKey(key, chain.head)
    val nothing = Array.emptyCharArray // the key store is in memory only
    val store   = KeyStore.getInstance("PKCS12")
    store.load(null, nothing)
    try store.setKeyEntry("server", secret, nothing, chain.toArray)
    catch {
      case e: KeyStoreException => throw new IOException(s"$certificates is not a chain of certificates", e)
    }
    val managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm)
    managers.init(store, nothing)
    val context = SSLContext.getInstance("TLS")
    context.init(managers.getKeyManagers, null, null)
    context
  }

  /** The certificates in a file, at least one. */
  def certificates(file: Path): Vector[Certificate] = {
    def none(cause: Throwable) = throw new IOException(s"$file has no X.509 certificates in PEM", cause)
    val found                  =
      try CertificateFactory.getInstance(
          "X.509"
        ).generateCertificates(new ByteArrayInputStream(read(file))).asScala
      catch { case e: CertificateException => none(e) }
    if (found.isEmpty) none(null) else found.toVector
  }

  private def privateKey(file: Path, certificate: Certificate): PrivateKey = {
    val text  = new String(read(file), ISO_8859_1)
    val from  = text.indexOf(Begin)
    val until =
      if (from < 0) -1 else text.indexOf(End, from + Begin.length) // the two must not share their hyphens
    if (until < 0)
      throw new IOException(
        s"$file has no private key in PEM and PKCS #8 (it begins with $Begin; openssl pkcs8 -topk8 -nocrypt makes one)"
      )
    val bytes =
      try Base64.getMimeDecoder.decode(text.substring(from + Begin.length, until))
      catch {
        case e: IllegalArgumentException => throw new IOException(s"$file is damaged: ${e.getMessage}", e)
      }
    val algorithm = certificate.getPublicKey.getAlgorithm
    val key       =
      try KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes))
      catch {
        case e: InvalidKeySpecException =>
          throw new IOException(s"$file is not an $algorithm key, as the certificate's is", e)
        case e: NoSuchAlgorithmException =>
          throw new IOException(
            s"$file is for a certificate with an unsupported kind of key, $algorithm",
            e
          )
      }
    if (!belongs(key, certificate)) throw new IOException(s"the key of $file is not the certificate's")
    key
  }

  /** Whether the certificate verifies what the key signs. */
  private def belongs(key: PrivateKey, certificate: Certificate): Boolean = {
    val algorithm = key.getAlgorithm match {
      case "RSA"           => "SHA256withRSA"
      case "EC"            => "SHA256withECDSA"
      case "EdDSA" | "XDH" => "EdDSA"
      case other           => s"SHA256with$other"
    }
    try {
      val signature = Signature.getInstance(algorithm)
      signature.initSign(key)
      signature.update(Begin.getBytes(ISO_8859_1))
      val signed = signature.sign()
      signature.initVerify(certificate.getPublicKey)
      signature.update(Begin.getBytes(ISO_8859_1))
      signature.verify(signed)
    } catch { case _: GeneralSecurityException => false }
  }

  private def read(file: Path): Array[Byte] =
    try Files.readAllBytes(file)
    catch { case e: NoSuchFileException => throw new IOException(s"$file (No such file or directory)", e) }

  private final val Begin = "-----BEGIN PRIVATE KEY-----"
  private final val End   = "-----END PRIVATE KEY-----"
}
