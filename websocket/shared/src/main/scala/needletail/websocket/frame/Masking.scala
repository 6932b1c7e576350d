package needletail.websocket.frame

import needletail.http.text.Swar

/** Masking of payloads (RFC 6455 §5.3). A key is four bytes, the first one lowest. */
private[websocket] object Masking {

  /** A copy of `count` bytes, masked or unmasked. */
  @inline def copyOf(source: Array[Byte], from: Int, count: Int, key: Int): Array[Byte] =
    Swar.masked(source, from, count, key)

  /** The key for the bytes after the first `done` of a payload. */
  @inline def rotated(key: Int, done: Long): Int = Integer.rotateRight(key, (done.toInt & 3) << 3)

  /** Copies `count` bytes and masks or unmasks them. The arrays may be the same, from the same index. */
  @inline def copy(
      source: Array[Byte],
      from: Int,
      target: Array[Byte],
      at: Int,
      count: Int,
      key: Int
  ): Unit = Swar.mask(source, from, target, at, count, key)
}
