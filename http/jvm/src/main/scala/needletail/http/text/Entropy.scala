package needletail.http.text

import java.security.SecureRandom

/** Unpredictable random bytes. */
private[needletail] object Entropy {
  private val random = new SecureRandom

  def fill(bytes: Array[Byte]): Unit = random.nextBytes(bytes)
}
