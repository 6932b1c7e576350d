package needletail.content.security

import java.security.{GeneralSecurityException, SecureRandom}
import java.util.Arrays
import javax.crypto.spec.{GCMParameterSpec, SecretKeySpec}
import javax.crypto.{Cipher, Mac}

/** The JDK's cryptography. Keys for the two uses are derived from one by HMAC, so that neither tells of the other. */
private[security] object CookieCrypto {
  private final val NonceLength = 12
  private val random            = new SecureRandom

  def sign(key: Array[Byte], bytes: Array[Byte]): Array[Byte] = hmac(derived(key, 1), bytes)

  /** AES-256-GCM with a random nonce, which comes first; `context` is authenticated with it. */
  def encrypt(key: Array[Byte], context: Array[Byte], plain: Array[Byte]): Array[Byte] = {
    val nonce = new Array[Byte](NonceLength)
    random.nextBytes(nonce)
    nonce ++ cipher(Cipher.ENCRYPT_MODE, key, context, nonce).doFinal(plain)
  }

  def decrypt(key: Array[Byte], context: Array[Byte], bytes: Array[Byte]): Option[Array[Byte]] =
    if (bytes.length < NonceLength) None
    else
      try {
        val nonce = Arrays.copyOf(bytes, NonceLength)
        Some(cipher(Cipher.DECRYPT_MODE, key, context, nonce).doFinal(
          bytes,
          NonceLength,
          bytes.length - NonceLength
        ))
      } catch { case _: GeneralSecurityException => None }

  private def cipher(mode: Int, key: Array[Byte], context: Array[Byte], nonce: Array[Byte]): Cipher = {
    val cipher = Cipher.getInstance("AES/GCM/NoPadding")
    cipher.init(mode, new SecretKeySpec(derived(key, 2), "AES"), new GCMParameterSpec(128, nonce))
    cipher.updateAAD(context)
    cipher
  }

  private def derived(key: Array[Byte], use: Byte): Array[Byte] = hmac(key, Array(use))

  private def hmac(key: Array[Byte], bytes: Array[Byte]): Array[Byte] = {
    val mac = Mac.getInstance("HmacSHA256")
    mac.init(new SecretKeySpec(key, "HmacSHA256"))
    mac.doFinal(bytes)
  }
}
