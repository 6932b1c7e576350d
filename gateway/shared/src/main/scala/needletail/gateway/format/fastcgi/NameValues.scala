package needletail.gateway.format.fastcgi

import needletail.gateway.format.cgi.Variables
import needletail.http.text.ByteWriter

/** Name-value pairs of FastCGI: both lengths in one byte or four, then name and value (section 3.4). */
private[needletail] object NameValues {

  def write(w: ByteWriter, name: String, value: String): Unit = {
    length(w, name.length)
    length(w, value.length)
    w.writeLatin1(name)
    w.writeLatin1(value)
  }

  def write(w: ByteWriter, name: String, value: Array[Byte], from: Int, count: Int): Unit = {
    length(w, name.length)
    length(w, count)
    w.writeLatin1(name)
    w.write(value, from, count)
  }

  private def length(w: ByteWriter, n: Int): Unit =
    if (n < 0x80) w.writeByte(n)
    else {
      w.writeByte((n >> 24) | 0x80)
      w.writeByte(n >> 16)
      w.writeByte(n >> 8)
      w.writeByte(n)
    }

  /**
   * Parses all pairs from `from` until `until` into `variables`, which is cleared first. Returns false if they are
   * malformed.
   */
  def read(variables: Variables, bytes: Array[Byte], from: Int, until: Int): Boolean = {
    variables.clear(bytes)
    var p = from
    while (p < until) {
      val nameLength = lengthAt(bytes, p, until)
      if (nameLength < 0) return false
      p += (if (bytes(p) < 0) 4 else 1)
      val valueLength = lengthAt(bytes, p, until)
      if (valueLength < 0) return false
      p += (if (bytes(p) < 0) 4 else 1)
      // each compared with the rest: their sum could overflow an Int
      if (nameLength > until - p || valueLength > until - p - nameLength) return false
      variables.add(p, p + nameLength, p + nameLength, p + nameLength + valueLength)
      p += nameLength + valueLength
    }
    true
  }

  /** The length at `at`; -1 if it is incomplete. */
  private def lengthAt(bytes: Array[Byte], at: Int, until: Int): Int =
    if (at >= until) -1
    else if (bytes(at) >= 0) bytes(at).toInt
    else if (until - at < 4) -1
    else
      ((bytes(at) & 0x7f) << 24) | ((bytes(at + 1) & 0xff) << 16) | ((bytes(at + 2) & 0xff) << 8) |
        (bytes(at + 3) & 0xff)
}
