package needletail.http.text

import java.nio.charset.StandardCharsets.UTF_8

import scala.scalanative.unsafe.*

/**
 * Converts between text and UTF-8. Most text is ASCII, which is converted without Scala Native's slower charset
 * coders.
 */
private[needletail] object Utf8Text {
  def encode(text: String): Array[Byte] = {
    val chars = Chars.of(text)
    val bytes = new Array[Byte](chars.length)
    if (Latin1.narrow(chars, bytes, 0) < 0x80) bytes else text.getBytes(UTF_8)
  }

  def decode(bytes: Array[Byte]): String =
    if (bytes.length == 0 || TextLoops.bits(bytes.at(0), bytes.length) < 0x80)
      Latin1.decode(bytes, 0, bytes.length)
    else new String(bytes, UTF_8)
}
