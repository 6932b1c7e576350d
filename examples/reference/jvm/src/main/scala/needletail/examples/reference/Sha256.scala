package needletail.examples.reference

import java.security.MessageDigest

/** A running SHA-256 (FIPS 180-4). */
final class Sha256 {
  private val digest = MessageDigest.getInstance("SHA-256")

  def update(bytes: Array[Byte]): Unit = digest.update(bytes)

  /** The digest in hexadecimal digits. To be called once. */
  def hex: String = digest.digest.map(b => f"${b & 0xff}%02x").mkString
}
