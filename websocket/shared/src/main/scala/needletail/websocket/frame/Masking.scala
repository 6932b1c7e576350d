package needletail.websocket.frame

import needletail.http.text.Swar

/** Masking of payloads (RFC 6455 §5.3), eight bytes at a time. A key is four bytes, the first one lowest. */
private[websocket] object Masking {

  /** The key for the bytes after the first `done` of a payload. */
  @inline def rotated(key: Int, done: Long): Int = Integer.rotateRight(key, (done.toInt & 3) << 3)

  /** Copies `count` bytes and masks or unmasks them. The arrays may be the same, from the same index. */
  def copy(source: Array[Byte], from: Int, target: Array[Byte], at: Int, count: Int, key: Int): Unit = {
    Swar.checkRange(source, from, count)
    Swar.checkRange(target, at, count)
    val word  = (key & 0xffffffffL) | (key.toLong << 32)
    val words = count & ~7
    var i     = 0
    while (i < words) {
      Swar.store(target, at + i, Swar.load(source, from + i) ^ word)
      i += 8
    }
    while (i < count) {
      target(at + i) = (source(from + i) ^ (key >>> ((i & 3) << 3))).toByte
      i += 1
    }
  }
}
