package needletail.content.file

import java.security.SecureRandom

/** Bytes that nobody can guess. */
private[file] object Entropy {
  private val random = new SecureRandom

  def fill(bytes: Array[Byte]): Unit = random.nextBytes(bytes)
}
