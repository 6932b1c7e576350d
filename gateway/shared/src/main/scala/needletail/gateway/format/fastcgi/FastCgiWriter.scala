package needletail.gateway.format.fastcgi

import needletail.http.text.ByteWriter

/**
 * Writes records of either side (FastCGI 1.0, section 3.3). Content is padded to a multiple of eight bytes, as
 * advised.
 */
private[needletail] object FastCgiWriter {
  import FastCgiRecord.*

  /**
   * Writes a stream's bytes in as many records as needed; none for no bytes, as an empty record would end the stream.
   */
  def stream(w: ByteWriter, kind: Int, id: Int, bytes: Array[Byte], from: Int, count: Int): Unit = {
    var at   = from
    var left = count
    while (left > 0) {
      val n       = Math.min(left, MaxSlice)
      val padding = -n & 7
      header(w, kind, id, n, padding)
      w.write(bytes, at, n)
      pad(w, padding)
      at += n
      left -= n
    }
  }

  /** Writes the empty record that ends a stream. */
  def endStream(w: ByteWriter, kind: Int, id: Int): Unit = header(w, kind, id, 0, 0)

  def beginRequest(w: ByteWriter, id: Int, role: Int, keepConnection: Boolean): Unit = {
    header(w, BeginRequest, id, BodyLength, 0)
    w.writeByte(role >> 8)
    w.writeByte(role)
    w.writeByte(if (keepConnection) KeepConnection else 0)
    pad(w, 5)
  }

  def abortRequest(w: ByteWriter, id: Int): Unit = header(w, AbortRequest, id, 0, 0)

  /**
   * Writes END_REQUEST.
   *
   * @param appStatus as a program's exit status
   */
  def endRequest(w: ByteWriter, id: Int, appStatus: Int, protocolStatus: Int): Unit = {
    header(w, EndRequest, id, BodyLength, 0)
    w.writeByte(appStatus >> 24)
    w.writeByte(appStatus >> 16)
    w.writeByte(appStatus >> 8)
    w.writeByte(appStatus)
    w.writeByte(protocolStatus)
    pad(w, 3)
  }

  /** Writes the response to an unknown management record (section 4.2). */
  def unknownType(w: ByteWriter, kind: Int): Unit = {
    header(w, UnknownType, Management, BodyLength, 0)
    w.writeByte(kind)
    pad(w, 7)
  }

  /** Writes `pairs`, in the form of [[NameValues]], in a management record; at most `MaxContent` bytes. */
  def management(w: ByteWriter, kind: Int, pairs: ByteWriter): Unit = {
    val padding = -pairs.length & 7
    header(w, kind, Management, pairs.length, padding)
    w.write(pairs.bytes, 0, pairs.length)
    pad(w, padding)
  }

  def header(w: ByteWriter, kind: Int, id: Int, length: Int, padding: Int): Unit = {
    w.ensure(HeaderLength)
    val b  = w.bytes
    val at = w.length
    b(at) = Version
    b(at + 1) = kind.toByte
    b(at + 2) = (id >> 8).toByte
    b(at + 3) = id.toByte
    b(at + 4) = (length >> 8).toByte
    b(at + 5) = length.toByte
    b(at + 6) = padding.toByte
    b(at + 7) = 0
    w.length = at + HeaderLength
  }

  private def pad(w: ByteWriter, count: Int): Unit = {
    w.ensure(count)
    var i = 0
    while (i < count) {
      w.bytes(w.length + i) = 0
      i += 1
    }
    w.length += count
  }

  /** The largest content that is a multiple of eight. */
  private final val MaxSlice = MaxContent & ~7
}
