package needletail.websocket.handshake

/**
 * SHA-1 (RFC 3174), which the handshake needs and which protects nothing there. It is our own since Scala Native's library
 * has no MessageDigest, and OpenSSL is optional there.
 */
private[websocket] object Sha1 {
  def apply(message: Array[Byte]): Array[Byte] = {
    val bytes = room(message.length)
    System.arraycopy(message, 0, bytes, 0, message.length)
    val digest = new Array[Byte](20)
    (new Work).digest(bytes, message.length, digest)
    digest
  }

  /** An array for a message of that length and its padding. */
  def room(length: Int): Array[Byte] = new Array[Byte]((length + 8) / 64 * 64 + 64)

  /** What one digest after the other is computed with. For one thread. */
  final class Work {
    private val h = new Array[Int](5)
    private val w = new Array[Int](16)

    /** Of the message of that length in an array that `room` has made, to which it appends. Writes 20 bytes to `to`. */
    def digest(padded: Array[Byte], length: Int, to: Array[Byte]): Unit = {
      padded(length) = 0x80.toByte
      java.util.Arrays.fill(padded, length + 1, padded.length, 0.toByte)
      put(padded, padded.length - 8, (length * 8L >>> 32).toInt)
      put(padded, padded.length - 4, length * 8)
      h(0) = 0x67452301
      h(1) = 0xefcdab89
      h(2) = 0x98badcfe
      h(3) = 0x10325476
      h(4) = 0xc3d2e1f0
      var from = 0
      while (from < padded.length) {
        block(padded, from, h, w)
        from += 64
      }
      var i = 0
      while (i < h.length) {
        put(to, 4 * i, h(i))
        i += 1
      }
    }
  }

  private def block(bytes: Array[Byte], from: Int, h: Array[Int], w: Array[Int]): Unit = {
    var a = h(0)
    var b = h(1)
    var c = h(2)
    var d = h(3)
    var e = h(4)
    var t = 0
    while (t < 80) { // the last 16 words of the schedule are kept (RFC 3174 §6.2)
      w(t & 15) =
        if (t < 16) get(bytes, from + 4 * t)
        else Integer.rotateLeft(w(t + 13 & 15) ^ w(t + 8 & 15) ^ w(t + 2 & 15) ^ w(t & 15), 1)
      val mixed =
        if (t < 20) ((b & c) | (~b & d)) + 0x5a827999
        else if (t < 40) (b ^ c ^ d) + 0x6ed9eba1
        else if (t < 60) ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
        else (b ^ c ^ d) + 0xca62c1d6
      val next = Integer.rotateLeft(a, 5) + mixed + e + w(t & 15)
      e = d
      d = c
      c = Integer.rotateLeft(b, 30)
      b = a
      a = next
      t += 1
    }
    h(0) += a
    h(1) += b
    h(2) += c
    h(3) += d
    h(4) += e
  }

  private def get(bytes: Array[Byte], at: Int): Int =
    (bytes(at) & 0xff) << 24 | (bytes(at + 1) & 0xff) << 16 | (bytes(at + 2) & 0xff) << 8 | (bytes(
      at + 3
    ) & 0xff)

  private def put(bytes: Array[Byte], at: Int, n: Int): Unit = {
    bytes(at) = (n >>> 24).toByte
    bytes(at + 1) = (n >>> 16).toByte
    bytes(at + 2) = (n >>> 8).toByte
    bytes(at + 3) = n.toByte
  }
}
