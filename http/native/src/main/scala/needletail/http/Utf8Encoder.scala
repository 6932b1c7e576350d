package needletail.http

import java.nio.charset.StandardCharsets.UTF_8

/** Text to octets. Most text is ASCII, for which the charset encoder of this platform does far too much. */
private[needletail] object Utf8Encoder {
  def encode(text: String): Array[Byte] = {
    val n      = text.length
    val octets = new Array[Byte](n)
    var i      = 0
    while (i < n) {
      val c = text.charAt(i)
      if (c >= 0x80) return text.getBytes(UTF_8)
      octets(i) = c.toByte
      i += 1
    }
    octets
  }
}
