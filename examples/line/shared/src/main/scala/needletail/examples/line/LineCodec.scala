package needletail.examples.line

import java.nio.charset.StandardCharsets.UTF_8

import needletail.tcp.{Codec, Decoded, Decoder}

/** Lines of UTF-8 text; they end in LF, or CR and LF. */
final class LineCodec(maxLength: Int) extends Codec[String, String] {

  def decoder(): Decoder[String] = (bytes, from, until) => {
    val end = indexOf('\n'.toByte, bytes, from, until)
    if (end < 0) if (until - from > maxLength) tooLong else Decoded.More
    else if (end - from > maxLength) tooLong
    else {
      val last = if (end > from && bytes(end - 1) == '\r') end - 1 else end
      Decoded.Message(new String(bytes, from, last - from, UTF_8), end + 1)
    }
  }

  def encode(line: String): Array[Byte] = (line + "\r\n").getBytes(UTF_8)

  override def reject(reason: String): Option[String] = Some(s"ERROR $reason")

  private def tooLong = Decoded.Bad(s"a line is at most $maxLength bytes long")

  private def indexOf(byte: Byte, bytes: Array[Byte], from: Int, until: Int): Int = {
    var i = from
    while (i < until) {
      if (bytes(i) == byte) return i
      i += 1
    }
    -1
  }
}
