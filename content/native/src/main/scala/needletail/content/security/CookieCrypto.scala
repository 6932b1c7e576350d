package needletail.content.security

/** None: Scala Native's library has no cryptography, and Needletail writes none of its own. */
private[security] object CookieCrypto {
  def sign(key: Array[Byte], bytes: Array[Byte]): Array[Byte] = none(key, bytes)

  def encrypt(key: Array[Byte], context: Array[Byte], plain: Array[Byte]): Array[Byte] =
    none(key, context, plain)

  def decrypt(key: Array[Byte], context: Array[Byte], bytes: Array[Byte]): Option[Array[Byte]] =
    none(key, context, bytes)

  private def none(unused: Array[Byte]*): Nothing = {
    val _ = unused
    throw new UnsupportedOperationException("signed and encrypted cookies are available on the JVM only")
  }
}
