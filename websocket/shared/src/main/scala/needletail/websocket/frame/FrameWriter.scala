package needletail.websocket.frame

import needletail.http.text.{ByteWriter, Swar}

/** Writes frames (RFC 6455 §5.2). */
private[needletail] object FrameWriter {

  /** The first bit: the last frame of its message. */
  final val Final = 0x80

  /** The bit of a compressed message's first frame (RFC 7692 §6). */
  final val Compressed = 0x40

  /** Bytes of the longest header. */
  final val MaxHead = 14

  /**
   * Writes the header of an unmasked frame.
   *
   * @param first the header's first byte: opcode and bits
   */
  def head(w: ByteWriter, first: Int, length: Int): Unit = head(w, first, length, 0)

  private def head(w: ByteWriter, first: Int, length: Int, maskBit: Int): Unit = {
    w.ensure(MaxHead)
    val bytes = w.bytes
    val at    = w.length
    // whole words, whose other bytes are written over
    if (length < 126) {
      Swar.store(bytes, at, (first | (maskBit | length) << 8).toLong)
      w.length = at + 2
    } else {
      val backwards = java.lang.Long.reverseBytes(length.toLong) // the first byte lowest
      if (length < 65536) {
        Swar.store(bytes, at, (first | (maskBit | 126) << 8).toLong | backwards >>> 32)
        w.length = at + 4
      } else {
        Swar.store(bytes, at, (first | (maskBit | 127) << 8).toLong)
        Swar.store(bytes, at + 2, backwards)
        w.length = at + 10
      }
    }
  }

  /** Writes the header of a masked frame, with its key. */
  def maskedHead(w: ByteWriter, first: Int, length: Int, key: Int): Unit = {
    head(w, first, length, 0x80)
    w.ensure(4)
    var i = 0
    while (i < 4) {
      w.bytes(w.length + i) = (key >>> (8 * i)).toByte
      i += 1
    }
    w.length += 4
  }

  /** Writes a payload, masked. */
  def masked(w: ByteWriter, payload: Array[Byte], key: Int): Unit = {
    w.ensure(payload.length)
    Masking.copy(payload, 0, w.bytes, w.length, payload.length, key)
    w.length += payload.length
  }

  /** A masked copy of a payload. */
  def masked(payload: Array[Byte], key: Int): Array[Byte] = Masking.copyOf(payload, 0, payload.length, key)

  /** A whole unmasked frame. */
  def frame(first: Int, payload: Array[Byte]): Array[Byte] = {
    val w = new ByteWriter(payload.length + 10)
    head(w, first, payload.length)
    w.write(payload)
    w.taken
  }
}
