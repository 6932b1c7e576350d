package needletail.content.security

import java.util.Arrays

import needletail.http.text.Entropy
import needletail.io.crypto.{AesGcm, Hmac}

/** Keys for the two uses are derived from one by HMAC, so that neither reveals the other. */
private[security] object CookieCrypto {
  def sign(key: Array[Byte], bytes: Array[Byte]): Array[Byte] = Hmac.sha256(derived(key, 1), bytes)

  /** AES-256-GCM with a random nonce, which comes first; `context` is authenticated with it. */
  def encrypt(key: Array[Byte], context: Array[Byte], plain: Array[Byte]): Array[Byte] = {
    val nonce = new Array[Byte](AesGcm.NonceLength)
    Entropy.fill(nonce)
    nonce ++ AesGcm.encrypt(derived(key, 2), nonce, context, plain)
  }

  def decrypt(key: Array[Byte], context: Array[Byte], bytes: Array[Byte]): Option[Array[Byte]] =
    if (bytes.length < AesGcm.NonceLength) None
    else
      AesGcm.decrypt(
        derived(key, 2),
        Arrays.copyOf(bytes, AesGcm.NonceLength),
        context,
        Arrays.copyOfRange(bytes, AesGcm.NonceLength, bytes.length)
      )

  private def derived(key: Array[Byte], use: Byte): Array[Byte] = Hmac.sha256(key, Array(use))
}
