package needletail.websocket.client

import java.security.SecureRandom

/** Bytes that nobody can guess. */
private[websocket] object Entropy {
  private val random = new SecureRandom

  def fill(bytes: Array[Byte]): Unit = random.nextBytes(bytes)
}
