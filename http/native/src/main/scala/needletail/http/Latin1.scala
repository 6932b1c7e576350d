package needletail.http

/** Octets to text, each to the character of its number; the charset decoder of this platform does far too much. */
private[needletail] object Latin1 {
  def decode(octets: Array[Byte], from: Int, until: Int): String = {
    val chars = new Array[Char](until - from)
    var i     = 0
    while (i < chars.length) {
      chars(i) = (octets(from + i) & 0xff).toChar
      i += 1
    }
    String.valueOf(chars)
  }
}
