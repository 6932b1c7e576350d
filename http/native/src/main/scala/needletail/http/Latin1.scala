package needletail.http

import scala.scalanative.annotation.alwaysinline
import scala.scalanative.runtime.{ByteArray, CharArray, Intrinsics}

/**
 * Octets and the characters of their numbers, four in a register at a time: the charset coders of this platform do far
 * too much, and one by one each costs a look at the bounds and at whether the collector waits.
 */
private[needletail] object Latin1 {

  /** Writes the low octet of each character; the caller sees to the room. */
  def encode(text: String, into: Array[Byte], at: Int): Unit = pack(Chars.of(text), into, at)

  def decode(octets: Array[Byte], from: Int, until: Int): String = {
    val chars = new Array[Char](until - from)
    widen(octets, from, chars)
    String.valueOf(chars)
  }

  /** The low octet of each character to `into`, from `at` on. */
  private[http] def pack(chars: Array[Char], into: Array[Byte], at: Int): Unit = {
    val n = chars.length
    checkBounds(into, at, n)
    val source = chars.asInstanceOf[CharArray]
    val target = into.asInstanceOf[ByteArray]
    var i      = 0
    while (i + 16 <= n) {
      packFour(source, i, target, at + i)
      packFour(source, i + 4, target, at + i + 4)
      packFour(source, i + 8, target, at + i + 8)
      packFour(source, i + 12, target, at + i + 12)
      i += 16
    }
    while (i + 4 <= n) {
      packFour(source, i, target, at + i)
      i += 4
    }
    while (i < n) {
      into(at + i) = chars(i).toByte
      i += 1
    }
  }

  @alwaysinline private def packFour(source: CharArray, from: Int, target: ByteArray, at: Int): Unit = {
    val four  = Intrinsics.loadLong(source.atRawUnsafe(from)) & 0x00ff00ff00ff00ffL
    val pairs = four | (four >>> 8) // two octets side by side in the lower half of each pair of characters
    Intrinsics.storeInt(target.atRawUnsafe(at), ((pairs & 0xffff) | ((pairs >>> 16) & 0xffff0000L)).toInt)
  }

  /** Octets from `from` on, as many as there is room for. */
  private def widen(octets: Array[Byte], from: Int, chars: Array[Char]): Unit = {
    val n = chars.length
    checkBounds(octets, from, n)
    val source = octets.asInstanceOf[ByteArray]
    val target = chars.asInstanceOf[CharArray]
    var i      = 0
    while (i + 16 <= n) {
      widenFour(source, from + i, target, i)
      widenFour(source, from + i + 4, target, i + 4)
      widenFour(source, from + i + 8, target, i + 8)
      widenFour(source, from + i + 12, target, i + 12)
      i += 16
    }
    while (i + 4 <= n) {
      widenFour(source, from + i, target, i)
      i += 4
    }
    while (i < n) {
      chars(i) = (octets(from + i) & 0xff).toChar
      i += 1
    }
  }

  @alwaysinline private def widenFour(source: ByteArray, from: Int, target: CharArray, at: Int): Unit = {
    val four  = Intrinsics.loadInt(source.atRawUnsafe(from)) & 0xffffffffL
    val pairs = (four | (four << 16)) & 0x0000ffff0000ffffL
    Intrinsics.storeLong(target.atRawUnsafe(at), (pairs | (pairs << 8)) & 0x00ff00ff00ff00ffL)
  }

  /** What is loaded and stored as words is not looked at again. */
  private def checkBounds(octets: Array[Byte], from: Int, count: Int): Unit =
    if (from < 0 || count < 0 || from > octets.length - count)
      throw new IndexOutOfBoundsException(s"$count octets at $from of ${octets.length}")
}
