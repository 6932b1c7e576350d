package needletail.gateway.format.scgi

import needletail.gateway.format.cgi.Variables
import needletail.http.text.ByteWriter

/**
 * The head of an SCGI request: a netstring of names and values, each followed by a NUL. CONTENT_LENGTH comes first,
 * and SCGI with the value 1 is required (SCGI, sections 2 to 4). The body follows, with the length of CONTENT_LENGTH.
 */
private[needletail] object Scgi {
  final val More    = 0
  final val Bad     = -1
  final val TooLong = -2

  /**
   * Parses a head that begins at `from` into `variables`. Returns the index after it, More, Bad if it is malformed, or
   * TooLong if it has more than `limit` bytes. It keeps no state between calls.
   */
  def read(variables: Variables, bytes: Array[Byte], from: Int, until: Int, limit: Int): Int = {
    var p      = from
    var length = 0
    while (p < until && bytes(p) >= '0' && bytes(p) <= '9') {
      // a netstring's length has no leading zeros
      if (p > from && bytes(from) == '0') return Bad
      if (p - from >= MaxDigits) return TooLong
      length = 10 * length + (bytes(p) - '0')
      p += 1
    }
    if (length > limit) TooLong
    else if (p == until) More
    else if (bytes(p) != ':' || p == from) Bad
    else {
      p += 1
      if (until - p <= length) More // with the comma after it
      else if (bytes(p + length) != ',') Bad
      else if (!pairs(variables, bytes, p, p + length)) Bad
      else p + length + 1
    }
  }

  private def pairs(variables: Variables, bytes: Array[Byte], from: Int, until: Int): Boolean = {
    variables.clear(bytes)
    var p = from
    while (p < until) {
      val name = end(bytes, p, until)
      if (name == until || name == p) return false
      val value = end(bytes, name + 1, until)
      if (value == until) return false
      variables.add(p, name, name + 1, value)
      p = value + 1
    }
    val version = variables.indexOf("SCGI")
    variables.count > 0 && variables.isNamed(
      0,
      "CONTENT_LENGTH"
    ) && variables.valueFrom(0) < variables.valueUntil(0) &&
    version >= 0 && variables.value(version) == "1"
  }

  /** The index of the NUL, or `until`. */
  private def end(bytes: Array[Byte], from: Int, until: Int): Int = {
    var p = from
    while (p < until && bytes(p) != 0) p += 1
    p
  }

  /**
   * Writes a head. `pairs` has neither CONTENT_LENGTH nor SCGI, and no NUL in a name or value.
   *
   * @param length bytes of the body that follows
   */
  def write(w: ByteWriter, length: Long, pairs: Iterable[(String, String)]): Unit = {
    val head = new ByteWriter(1024)
    pair(head, "CONTENT_LENGTH", length.toString)
    pair(head, "SCGI", "1")
    pairs.foreach { case (name, value) => pair(head, name, value) }
    w.writeDecimal(head.length.toLong)
    w.writeByte(':')
    w.write(head.bytes, 0, head.length)
    w.writeByte(',')
  }

  private def pair(w: ByteWriter, name: String, value: String): Unit = {
    w.writeLatin1(name)
    w.writeByte(0)
    w.writeLatin1(value)
    w.writeByte(0)
  }

  /** More digits than any limit has. */
  private final val MaxDigits = 8
}
