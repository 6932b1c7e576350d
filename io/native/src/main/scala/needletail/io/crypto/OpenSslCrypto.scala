package needletail.io.crypto

import scala.scalanative.unsafe.*

/** The functions of needletail_crypto.c, where they are documented. `load` must return null before any other is called. */
@extern
@define("__SCALANATIVE_NEEDLETAIL_CRYPTO")
private[crypto] object CryptoFunctions {
  @name("needletail_crypto_load") def load(): CString = extern
  @name("needletail_crypto_hmac")
  def hmac(key: Ptr[Byte], keyLength: CInt, bytes: Ptr[Byte], length: CInt, code: Ptr[Byte]): CInt = extern
  @name("needletail_crypto_seal")
  def seal(
      key: Ptr[Byte],
      nonce: Ptr[Byte],
      context: Ptr[Byte],
      contextLength: CInt,
      plain: Ptr[Byte],
      length: CInt,
      out: Ptr[Byte]
  ): CInt = extern
  @name("needletail_crypto_open")
  def open(
      key: Ptr[Byte],
      nonce: Ptr[Byte],
      context: Ptr[Byte],
      contextLength: CInt,
      encrypted: Ptr[Byte],
      length: CInt,
      out: Ptr[Byte]
  ): CInt = extern
}

/** OpenSSL's cryptography, which is loaded when it is first needed. */
private[crypto] object OpenSslCrypto {

  /** Throws an UnsupportedOperationException with the reason if OpenSSL cannot be used. */
  def load(): Unit = {
    val problem = CryptoFunctions.load()
    if (problem ne null) throw new UnsupportedOperationException(fromCString(problem))
  }

  def failed: IllegalStateException = new IllegalStateException("OpenSSL's cryptography failed")

  /** Null if it is empty. */
  def start(bytes: Array[Byte]): Ptr[Byte] = if (bytes.length == 0) null else bytes.at(0)
}
