package needletail.http

import java.nio.charset.StandardCharsets.UTF_8

import scala.scalanative.runtime.{ByteArray, CharArray, Intrinsics}

/** Text to octets. Most text is ASCII, for which the charset encoder of this platform does far too much. */
private[needletail] object Utf8Encoder {

  /** Any of these bits in four characters: one of them is not ASCII. */
  private final val NotAscii = 0xff80ff80ff80ff80L

  def encode(text: String): Array[Byte] = {
    val n      = text.length
    val chars  = new Array[Char](n) // charAt is a call and two checks for each character
    val octets = new Array[Byte](n)
    text.getChars(0, n, chars, 0)
    var i = 0
    while (i + 4 <= n) {
      val four = Intrinsics.loadLong(chars.asInstanceOf[CharArray].atRaw(i))
      if ((four & NotAscii) != 0) return text.getBytes(UTF_8)
      val pairs = four | (four >>> 8) // two octets side by side in the lower half of each pair of characters
      val all   = (pairs & 0xffff) | ((pairs >>> 16) & 0xffff0000L)
      Intrinsics.storeInt(octets.asInstanceOf[ByteArray].atRaw(i), all.toInt)
      i += 4
    }
    while (i < n) {
      val c = chars(i)
      if (c >= 0x80) return text.getBytes(UTF_8)
      octets(i) = c.toByte
      i += 1
    }
    octets
  }
}
