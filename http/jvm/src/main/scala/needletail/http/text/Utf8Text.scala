package needletail.http.text

import java.nio.charset.StandardCharsets.UTF_8

/** Converts between text and UTF-8. The JDK's own conversion is the fastest here. */
private[needletail] object Utf8Text {
  def encode(text: String): Array[Byte]  = text.getBytes(UTF_8)
  def decode(bytes: Array[Byte]): String = new String(bytes, UTF_8)
}
