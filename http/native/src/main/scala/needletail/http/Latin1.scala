package needletail.http

import scala.scalanative.runtime.CharArray
import scala.scalanative.unsafe.*

/** Octets and the characters of their numbers; the charset coders of this platform do far too much. */
private[needletail] object Latin1 {

  /** Writes the low octet of each character; the caller sees to the room. */
  def encode(text: String, into: Array[Byte], at: Int): Unit = { narrow(Chars.of(text), into, at); () }

  def decode(octets: Array[Byte], from: Int, until: Int): String = {
    val count = until - from
    val chars = new Array[Char](count)
    if (count > 0) {
      octets.at(until - 1) // both ends are looked up, and so within bounds
      TextLoops.widen(octets.at(from), start(chars), count)
    }
    String.valueOf(chars)
  }

  /** The low octet of each character to `into`, from `at` on; answers all bits that any character has. */
  private[http] def narrow(chars: Array[Char], into: Array[Byte], at: Int): Int =
    if (chars.length == 0) 0
    else {
      into.at(at + chars.length - 1)
      TextLoops.narrow(start(chars), into.at(at), chars.length)
    }

  private def start(chars: Array[Char]): Ptr[Char] = chars.asInstanceOf[CharArray].at(0)
}
