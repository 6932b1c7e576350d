package needletail.websocket.client

import needletail.http.text.ByteWriter
import needletail.websocket.socket.Role

/**
 * What all connections of a client on one loop share. Used on that loop only.
 *
 * @param entropy fills an array with unpredictable random bytes
 */
private[websocket] final class PerLoopSockets(entropy: Array[Byte] => Unit) extends Role {

  /** The output of a turn of one connection. */
  val writer = new ByteWriter(32 * 1024)

  private val random = new Array[Byte](4096)
  private var used   = random.length

  def isServer: Boolean = false

  def maskKey(): Int = {
    if (used == random.length) {
      entropy(random)
      used = 0
    }
    val at = used
    used += 4
    (random(at) & 0xff) | (random(at + 1) & 0xff) << 8 | (random(at + 2) & 0xff) << 16 | (random(
      at + 3
    ) & 0xff) << 24
  }

  /** The 16 bytes of a handshake's key. */
  def nonce(): Array[Byte] = {
    val bytes = new Array[Byte](16)
    entropy(bytes)
    bytes
  }
}
