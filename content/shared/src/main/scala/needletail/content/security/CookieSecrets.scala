package needletail.content.security

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Arrays, Base64}

/**
 * Signs and encrypts the values of cookies. The name of the cookie is part of the signed text, so that the value of one
 * cannot be used as that of another.
 *
 * By HMAC-SHA256 and AES-256-GCM of the JDK, natively of OpenSSL 3, which is loaded when it is first needed; where it is
 * missing, every method throws an UnsupportedOperationException. Values made on one platform are read by the
 * other.
 *
 * @param keys at least 32 random bytes each. The first one signs and encrypts; all are tried to verify and decrypt, so
 *             that a key can be replaced while cookies of the old one are about
 */
final class CookieSecrets(keys: List[Array[Byte]]) {
  if (keys.isEmpty) throw new IllegalArgumentException("CookieSecrets: there must be at least one key")
  keys.find(_.length < 32).foreach(key =>
    throw new IllegalArgumentException(
      s"CookieSecrets: a key has ${key.length} bytes, but must have at least 32"
    )
  )

  /** The value with its signature: readable, but protected against changes. */
  def sign(name: String, value: String): String =
    encode(value.getBytes(UTF_8)) + "." + encode(CookieCrypto.sign(keys.head, signed(name, value)))

  /** The value of a text that `sign` has made with one of the keys. */
  def verify(name: String, text: String): Option[String] = {
    val dot = text.indexOf('.')
    for {
      bytes     <- if (dot < 0) None else decode(text.substring(0, dot))
      signature <- decode(text.substring(dot + 1))
      value = new String(bytes, UTF_8)
      if Arrays.equals(value.getBytes(UTF_8), bytes)
      if keys.exists(key => Authentication.same(CookieCrypto.sign(key, signed(name, value)), signature))
    } yield value
  }

  /** The value encrypted: protected against reading and changes. */
  def encrypt(name: String, value: String): String =
    encode(CookieCrypto.encrypt(keys.head, name.getBytes(UTF_8), value.getBytes(UTF_8)))

  /** The value of a text that `encrypt` has made with one of the keys. */
  def decrypt(name: String, text: String): Option[String] =
    decode(text).flatMap { bytes =>
      keys.iterator.map(CookieCrypto.decrypt(_, name.getBytes(UTF_8), bytes)).collectFirst {
        case Some(plain) =>
          new String(plain, UTF_8)
      }
    }

  /** The signatures of a value by all keys, the first of which signs. */
  private[security] def codes(name: String, value: String): Iterator[Array[Byte]] =
    keys.iterator.map(CookieCrypto.sign(_, signed(name, value)))

  /** A name is a token, so the first "=" ends it. */
  private def signed(name: String, value: String): Array[Byte] = s"$name=$value".getBytes(UTF_8)

  private def encode(bytes: Array[Byte]): String = Base64.getUrlEncoder.withoutPadding.encodeToString(bytes)

  /** Only what `encode` makes: of several texts for the same bytes, one is valid. */
  private def decode(text: String): Option[Array[Byte]] =
    try Some(Base64.getUrlDecoder.decode(text)).filter(encode(_) == text)
    catch { case _: IllegalArgumentException => None }
}
