package needletail.io.crypto

import java.security.GeneralSecurityException
import javax.crypto.Cipher
import javax.crypto.spec.{GCMParameterSpec, SecretKeySpec}

/**
 * Authenticated encryption: AES-256 in Galois/Counter Mode (NIST SP 800-38D), by the JDK. A key has 32 bytes, and a
 * nonce, which must never be used twice with one key, `NonceLength`.
 */
private[needletail] object AesGcm {
  final val NonceLength = 12
  final val TagLength   = 16

  /** `plain` encrypted, and the tag behind it, which is of `context` as well. */
  def encrypt(key: Array[Byte], nonce: Array[Byte], context: Array[Byte], plain: Array[Byte]): Array[Byte] =
    cipher(Cipher.ENCRYPT_MODE, key, nonce, context).doFinal(plain)

  /** What `encrypt` has made encrypted of; None if key, nonce or context are others, or it was changed. */
  def decrypt(
      key: Array[Byte],
      nonce: Array[Byte],
      context: Array[Byte],
      encrypted: Array[Byte]
  ): Option[Array[Byte]] =
    if (encrypted.length < TagLength) None // the JDK's failure is none of those below
    else
      try Some(cipher(Cipher.DECRYPT_MODE, key, nonce, context).doFinal(encrypted))
      catch { case _: GeneralSecurityException => None }

  private def cipher(mode: Int, key: Array[Byte], nonce: Array[Byte], context: Array[Byte]): Cipher = {
    val cipher = Cipher.getInstance("AES/GCM/NoPadding")
    cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(8 * TagLength, nonce))
    cipher.updateAAD(context)
    cipher
  }
}
