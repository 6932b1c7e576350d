package needletail.http

import java.nio.charset.StandardCharsets.ISO_8859_1

/** Octets to text, each to the character of its number; the virtual machine's own way is the fastest here. */
private[needletail] object Latin1 {
  def decode(octets: Array[Byte], from: Int, until: Int): String =
    new String(octets, from, until - from, ISO_8859_1)
}
