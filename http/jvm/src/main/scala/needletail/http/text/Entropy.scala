package needletail.http.text

import java.security.SecureRandom

/** Bytes that nobody can guess. */
private[needletail] object Entropy {
  private val random = new SecureRandom

  def fill(bytes: Array[Byte]): Unit = random.nextBytes(bytes)
}
