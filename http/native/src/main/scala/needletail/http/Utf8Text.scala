package needletail.http

import java.nio.charset.StandardCharsets.UTF_8

import scala.scalanative.annotation.alwaysinline
import scala.scalanative.runtime.{CharArray, Intrinsics}

/** Text to octets and back. Most text is ASCII, for which the charset coders of this platform do far too much. */
private[needletail] object Utf8Text {

  /** Any of these bits in four characters, or in eight octets: one of them is not ASCII. */
  private final val WideChar  = 0xff80ff80ff80ff80L
  private final val HighOctet = 0x8080808080808080L

  def encode(text: String): Array[Byte] = {
    val chars = Chars.of(text)
    if (!isAscii(chars)) text.getBytes(UTF_8)
    else {
      val octets = new Array[Byte](chars.length)
      Latin1.pack(chars, octets, 0)
      octets
    }
  }

  def decode(octets: Array[Byte]): String =
    if (isAscii(octets)) Latin1.decode(octets, 0, octets.length) else new String(octets, UTF_8)

  private def isAscii(chars: Array[Char]): Boolean = {
    val n      = chars.length
    val source = chars.asInstanceOf[CharArray]
    var i      = 0
    while (i + 8 <= n && ((four(source, i) | four(source, i + 4)) & WideChar) == 0) i += 8
    i + 8 > n && {
      while (i < n && chars(i) < 0x80) i += 1
      i == n
    }
  }

  private def isAscii(octets: Array[Byte]): Boolean = {
    val n = octets.length
    var i = 0
    while (i + 16 <= n && ((Words.load(octets, i) | Words.load(octets, i + 8)) & HighOctet) == 0) i += 16
    i + 16 > n && {
      while (i < n && octets(i) >= 0) i += 1
      i == n
    }
  }

  @alwaysinline private def four(chars: CharArray, at: Int): Long = Intrinsics.loadLong(chars.atRawUnsafe(at))
}
