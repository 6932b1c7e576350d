package needletail.io.system.tls

import java.io.{ByteArrayOutputStream, IOException}
import java.nio.file.Path
import java.security.cert.X509Certificate
import java.security.spec.{InvalidKeySpecException, PKCS8EncodedKeySpec}
import java.security.{
  AlgorithmParameters,
  GeneralSecurityException,
  KeyFactory,
  NoSuchAlgorithmException,
  PrivateKey,
  Signature
}
import java.util.HexFormat
import javax.crypto.spec.{PBEKeySpec, PBEParameterSpec, SecretKeySpec}
import javax.crypto.{Cipher, EncryptedPrivateKeyInfo, SecretKeyFactory}

import needletail.io.tls.{KeyFaults, NotPem, TlsCertificate}

/** Private keys from PEM files: PKCS #8 (RFC 5958), encrypted or not, PKCS #1 (RFC 8017) and SEC 1 (RFC 5915). */
private[io] object PrivateKeys {

  /** The key of `certificate`, which must be the one of `files`. */
  def read(files: TlsCertificate, certificate: X509Certificate): PrivateKey = {
    val file   = files.key
    val blocks = Pem.blocks(file, NotPem.Use.Key)
    val block  = blocks.find(_.label.endsWith("PRIVATE KEY")).getOrElse(
      throw new IOException(s"$file has no private key in PEM (-----BEGIN PRIVATE KEY-----)")
    )
    if (block.isTraditional) throw KeyFaults.oldFormat(file)
    val encoded = block.label match {
      case "PRIVATE KEY"                        => block.bytes
      case "ENCRYPTED PRIVATE KEY"              => decrypted(file, block.bytes, files.password)
      case "RSA PRIVATE KEY" | "EC PRIVATE KEY" => wrapped(block.bytes, certificate)
      case other => throw new IOException(s"$file has a $other, which is not supported")
    }
    val keys    = factory(file, certificate)
    val kind    = kindOf(block.label, encoded).map((_, Certificates.kindOfKey(certificate)))
    def another = KeyFaults.ofAnother(file, files.chain, Pem.certificates(files.chain).size, kind)
    if (kind.exists { case (its, wanted) => its != wanted }) throw another
    val key =
      try keys.generatePrivate(new PKCS8EncodedKeySpec(encoded))
      catch {
        case e: InvalidKeySpecException => throw new IOException(s"$file is damaged: invalid private key", e)
      }
    if (!belongs(key, certificate)) throw another
    key
  }

  private def decrypted(file: Path, bytes: Array[Byte], password: Option[String]): Array[Byte] = {
    val secret = password.getOrElse(throw KeyFaults.encrypted(file))
    val info   =
      try new EncryptedPrivateKeyInfo(bytes)
      catch { case e: IOException => throw new IOException(s"$file is damaged: ${e.getMessage}", e) }
    try {
      // For PBES2 only the parameters know which key derivation and cipher it stands for.
      val parameters = info.getAlgParameters
      val algorithm  = if (parameters eq null) info.getAlgName else parameters.toString
      val cipher     = algorithm match {
        case Pbes2(hash, bits) => byAes(secret, hash, bits.toInt, parameters)
        case _                 =>
          val name = if (algorithm.startsWith("PBEWith")) algorithm else info.getAlgName
          val made = Cipher.getInstance(name)
          val key  = SecretKeyFactory.getInstance(name).generateSecret(new PBEKeySpec(secret.toCharArray))
          made.init(Cipher.DECRYPT_MODE, key, parameters)
          made
      }
      info.getKeySpec(cipher).getEncoded
    } catch {
      case e: NoSuchAlgorithmException => throw KeyFaults.unsupported(file, info.getAlgName, e)
      case e: GeneralSecurityException => throw KeyFaults.wrongPassword(file, e)
      case e: IllegalArgumentException => throw new IOException(s"$file is damaged: ${e.getMessage}", e)
    }
  }

  /** A key derivation and a cipher of PBES2 (RFC 8018) by the names of the JDK. */
  private val Pbes2 = "PBEWith(HmacSHA.+)AndAES_(128|256)".r

  /** What the JDK does itself under the scheme's name, but with passwords in ASCII only before Java 19. */
  private def byAes(secret: String, hash: String, bits: Int, parameters: AlgorithmParameters): Cipher = {
    val scheme   = parameters.getParameterSpec(classOf[PBEParameterSpec])
    val password = new PBEKeySpec(secret.toCharArray, scheme.getSalt, scheme.getIterationCount, bits)
    val derived  = SecretKeyFactory.getInstance(s"PBKDF2With$hash").generateSecret(password)
    val cipher   = Cipher.getInstance("AES/CBC/PKCS5Padding")
    cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(derived.getEncoded, "AES"), scheme.getParameterSpec)
    cipher
  }

  /** PKCS #8 of a key in its own format; the certificate has the algorithm and, if there is one, the curve. */
  private def wrapped(key: Array[Byte], certificate: X509Certificate): Array[Byte] = {
    val subject   = certificate.getPublicKey.getEncoded // a SEQUENCE whose first element is the algorithm
    val algorithm = identifier(subject, 0)
    der(0x30, Version ++ algorithm ++ der(0x04, key))
  }

  private def factory(file: Path, certificate: X509Certificate): KeyFactory = {
    val algorithm = certificate.getPublicKey.getAlgorithm
    try KeyFactory.getInstance(algorithm)
    catch {
      case e: NoSuchAlgorithmException =>
        throw new IOException(s"$file is for a certificate with an unsupported kind of key, $algorithm", e)
    }
  }

  /** In the words of `Certificates.kindOfKey`; None if the bytes are damaged. */
  private def kindOf(label: String, encoded: Array[Byte]): Option[String] = label match {
    case "RSA PRIVATE KEY" | "EC PRIVATE KEY" => Some(label.takeWhile(_ != ' '))
    case _                                    =>
      algorithmOf(encoded).map { algorithm =>
        val text = HexFormat.of.formatHex(algorithm)
        Kinds.collectFirst { case (number, kind) if text.contains(number) => kind }.getOrElse("unknown kind")
      }
  }

  /** By the identifiers of their algorithms in DER. */
  private val Kinds = Seq(
    "06092a864886f70d010101" -> "RSA",
    "06092a864886f70d01010a" -> "RSA-PSS",
    "06072a8648ce380401"     -> "DSA",
    "06072a8648ce3d0201"     -> "EC",
    "06032b6570"             -> "Ed25519",
    "06032b6571"             -> "Ed448"
  )

  /** The identifier of a key's algorithm in PKCS #8; None if the bytes are damaged. */
  private def algorithmOf(key: Array[Byte]): Option[Array[Byte]] =
    try {
      val version   = header(key, 0)
      val algorithm = version + Version.length
      val isWhole   = key(0) == 0x30 && version + lengthAt(key, 0) == key.length &&
        key(version) == 0x02 && key(algorithm) == 0x30
      if (isWhole) Some(identifier(key, algorithm)) else None
    } catch { case _: IndexOutOfBoundsException => None }

  /** Whether the certificate verifies what the key signs. */
  private def belongs(key: PrivateKey, certificate: X509Certificate): Boolean = {
    val algorithm = key.getAlgorithm match {
      case "RSA"                         => "SHA256withRSA"
      case "EC"                          => "SHA256withECDSA"
      case "EdDSA" | "Ed25519" | "Ed448" => "EdDSA"
      case other                         => s"SHA256with$other"
    }
    try {
      val signature = Signature.getInstance(algorithm)
      signature.initSign(key)
      signature.update(Version)
      val signed = signature.sign()
      signature.initVerify(certificate.getPublicKey)
      signature.update(Version)
      signature.verify(signed)
    } catch { case _: GeneralSecurityException => false }
  }

  // DER (X.690), as far as it is needed

  private val Version = Array[Byte](0x02, 0x01, 0x00)

  private def der(tag: Int, content: Array[Byte]): Array[Byte] = {
    val out = new ByteArrayOutputStream
    out.write(tag)
    if (content.length < 128) out.write(content.length)
    else if (content.length < 256) { out.write(0x81); out.write(content.length) }
    else { out.write(0x82); out.write(content.length >> 8); out.write(content.length) }
    out.write(content)
    out.toByteArray
  }

  /** The first element of the sequence at `at`. */
  private def identifier(bytes: Array[Byte], at: Int): Array[Byte] = {
    val start = header(bytes, at)
    bytes.slice(start, header(bytes, start) + lengthAt(bytes, start))
  }

  /** Where the content of the element at `at` begins. */
  private def header(bytes: Array[Byte], at: Int): Int = {
    val first = bytes(at + 1) & 0xff
    at + 2 + (if (first < 128) 0 else first & 0x7f)
  }

  private def lengthAt(bytes: Array[Byte], at: Int): Int = {
    val first = bytes(at + 1) & 0xff
    if (first < 128) first
    else (1 to (first & 0x7f)).foldLeft(0)((n, i) => n << 8 | (bytes(at + 1 + i) & 0xff))
  }
}
