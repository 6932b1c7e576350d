package needletail.http

import java.nio.charset.StandardCharsets.UTF_8

/** Text to octets and back; the virtual machine's own way is the fastest here. */
private[needletail] object Utf8Text {
  def encode(text: String): Array[Byte]   = text.getBytes(UTF_8)
  def decode(octets: Array[Byte]): String = new String(octets, UTF_8)
}
