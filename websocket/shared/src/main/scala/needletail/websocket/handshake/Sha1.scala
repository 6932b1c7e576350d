package needletail.websocket.handshake

/**
 * SHA-1 (RFC 3174), which the handshake needs and which protects nothing there. It is our own since Scala Native's library
 * has no MessageDigest, and OpenSSL is optional there.
 */
private[websocket] object Sha1 {
  def apply(message: Array[Byte]): Array[Byte] = {
    val padded = new Array[Byte]((message.length + 8) / 64 * 64 + 64)
    System.arraycopy(message, 0, padded, 0, message.length)
    padded(message.length) = 0x80.toByte
    put(padded, padded.length - 8, (message.length * 8L >>> 32).toInt)
    put(padded, padded.length - 4, message.length * 8)
    val h    = Array(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0)
    val w    = new Array[Int](80)
    var from = 0
    while (from < padded.length) {
      block(padded, from, h, w)
      from += 64
    }
    val digest = new Array[Byte](20)
    var i      = 0
    while (i < h.length) {
      put(digest, 4 * i, h(i))
      i += 1
    }
    digest
  }

  private def block(bytes: Array[Byte], from: Int, h: Array[Int], w: Array[Int]): Unit = {
    var t = 0
    while (t < 80) {
      w(t) =
        if (t < 16) get(bytes, from + 4 * t)
        else Integer.rotateLeft(w(t - 3) ^ w(t - 8) ^ w(t - 14) ^ w(t - 16), 1)
      t += 1
    }
    var a = h(0)
    var b = h(1)
    var c = h(2)
    var d = h(3)
    var e = h(4)
    t = 0
    while (t < 80) {
      val mixed =
        if (t < 20) ((b & c) | (~b & d)) + 0x5a827999
        else if (t < 40) (b ^ c ^ d) + 0x6ed9eba1
        else if (t < 60) ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
        else (b ^ c ^ d) + 0xca62c1d6
      val next = Integer.rotateLeft(a, 5) + mixed + e + w(t)
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
