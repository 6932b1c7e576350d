package needletail.http

import java.nio.charset.StandardCharsets.UTF_8

import scala.scalanative.unsafe.*

/** Text to octets and back. Most text is ASCII, for which the charset coders of this platform do far too much. */
private[needletail] object Utf8Text {
  def encode(text: String): Array[Byte] = {
    val chars  = Chars.of(text)
    val octets = new Array[Byte](chars.length)
    if (Latin1.narrow(chars, octets, 0) < 0x80) octets else text.getBytes(UTF_8)
  }

  def decode(octets: Array[Byte]): String =
    if (octets.length == 0 || TextLoops.bits(octets.at(0), octets.length) < 0x80)
      Latin1.decode(octets, 0, octets.length)
    else new String(octets, UTF_8)
}
