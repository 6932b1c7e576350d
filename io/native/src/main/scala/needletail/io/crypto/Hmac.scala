package needletail.io.crypto

import scala.scalanative.unsafe.*

/** Authentication codes (RFC 2104), by OpenSSL. */
private[needletail] object Hmac {

  /**
   * The code of `bytes` with SHA-256: 32 bytes. The key must not be empty. Throws UnsupportedOperationException if there
   * is no OpenSSL.
   */
  def sha256(key: Array[Byte], bytes: Array[Byte]): Array[Byte] = {
    OpenSslCrypto.load()
    val code = new Array[Byte](32)
    if (
      CryptoFunctions.hmac(key.at(0), key.length, OpenSslCrypto.start(bytes), bytes.length, code.at(0)) != 1
    )
      throw OpenSslCrypto.failed
    code
  }
}
