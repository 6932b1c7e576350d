package needletail.http

import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.annotation.nowarn

/** Octets and the characters of their numbers; the virtual machine's own way is the fastest here. */
private[needletail] object Latin1 {

  /** Writes the low octet of each character; the caller sees to the room. */
  @nowarn("cat=deprecation") // for what it does to other characters, which do not come here
  def encode(text: String, into: Array[Byte], at: Int): Unit = text.getBytes(0, text.length, into, at)

  def decode(octets: Array[Byte], from: Int, until: Int): String =
    new String(octets, from, until - from, ISO_8859_1)
}
