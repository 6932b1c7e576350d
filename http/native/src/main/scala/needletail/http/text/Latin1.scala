package needletail.http.text

import scala.scalanative.runtime.CharArray
import scala.scalanative.unsafe.*

/** Converts between bytes and text in ISO 8859-1, faster than Scala Native's charset coders. */
private[needletail] object Latin1 {

  /** Writes the low byte of each character into `into` from `at` on. The caller ensures that there is room. */
  def encode(text: String, into: Array[Byte], at: Int): Unit = { narrow(Chars.of(text), into, at); () }

  /** The text of the bytes from `from` until `until`. */
  def decode(bytes: Array[Byte], from: Int, until: Int): String = {
    val count = until - from
    val chars = new Array[Char](count)
    if (count > 0) {
      bytes.at(until - 1) // access to both ends checks the bounds
      TextLoops.widen(bytes.at(from), start(chars), count)
    }
    String.valueOf(chars)
  }

  /** Writes the low byte of each character to `into`, from `at` on. Returns the bitwise OR of all characters. */
  private[http] def narrow(chars: Array[Char], into: Array[Byte], at: Int): Int =
    if (chars.length == 0) 0
    else {
      into.at(at + chars.length - 1)
      TextLoops.narrow(start(chars), into.at(at), chars.length)
    }

  private def start(chars: Array[Char]): Ptr[Char] = chars.asInstanceOf[CharArray].at(0)
}
