package needletail.io.crypto

import scala.scalanative.unsafe.*

import needletail.io.crypto.OpenSslCrypto.start

/**
 * Authenticated encryption: AES-256 in Galois/Counter Mode (NIST SP 800-38D), by OpenSSL. A key has 32 bytes, and a
 * nonce, which must never be used twice with one key, `NonceLength`. Throws UnsupportedOperationException if there is no
 * OpenSSL.
 */
private[needletail] object AesGcm {
  final val NonceLength = 12
  final val TagLength   = 16

  /** `plain` encrypted, and the tag behind it, which is of `context` as well. */
  def encrypt(key: Array[Byte], nonce: Array[Byte], context: Array[Byte], plain: Array[Byte]): Array[Byte] = {
    check(key, nonce)
    val out    = new Array[Byte](plain.length + TagLength)
    val result = CryptoFunctions.seal(
      key.at(0),
      nonce.at(0),
      start(context),
      context.length,
      start(plain),
      plain.length,
      out.at(0)
    )
    if (result != 1) throw OpenSslCrypto.failed
    out
  }

  /** What `encrypt` has made `encrypted` of; None if key, nonce or context are others, or it was changed. */
  def decrypt(
      key: Array[Byte],
      nonce: Array[Byte],
      context: Array[Byte],
      encrypted: Array[Byte]
  ): Option[Array[Byte]] = {
    check(key, nonce)
    val length = encrypted.length - TagLength
    if (length < 0) None
    else {
      val out    = new Array[Byte](length)
      val result = CryptoFunctions.open(
        key.at(0),
        nonce.at(0),
        start(context),
        context.length,
        encrypted.at(0),
        length,
        start(out)
      )
      if (result < 0) throw OpenSslCrypto.failed
      if (result == 1) Some(out) else None
    }
  }

  private def check(key: Array[Byte], nonce: Array[Byte]): Unit = {
    if (key.length != 32 || nonce.length != NonceLength)
      throw new IllegalArgumentException("AES-256-GCM needs a key of 32 bytes and a nonce of 12")
    OpenSslCrypto.load()
  }
}
