package needletail.http.text

import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.annotation.nowarn

/** Converts between bytes and text in ISO 8859-1. The JDK's own conversion is the fastest here. */
private[needletail] object Latin1 {

  /** Writes the low byte of each character into `into` from `at` on. The caller ensures that there is room. */
  @nowarn("cat=deprecation") // deprecated because it drops high bytes; callers pass Latin-1 text only
  def encode(text: String, into: Array[Byte], at: Int): Unit = text.getBytes(0, text.length, into, at)

  /** The text of the bytes from `from` until `until`. */
  def decode(bytes: Array[Byte], from: Int, until: Int): String =
    new String(bytes, from, until - from, ISO_8859_1)
}
