package needletail.server.tcp

import java.nio.charset.StandardCharsets.UTF_8

import needletail.tcp.{Codec, Decoded, Decoder}

/** Lines of text, without white space around them; one of them cannot be written. */
private[tcp] object Lines extends Codec[String, String] {
  def decoder(): Decoder[String] = (bytes, from, until) => {
    val end = bytes.indexOf('\n'.toByte, from)
    if (end < 0 || end >= until) Decoded.More
    else Decoded.Message(new String(bytes, from, end - from, UTF_8).trim, end + 1)
  }

  def encode(line: String): Array[Byte] =
    if (line == "unsayable") throw new IllegalArgumentException(line) else (line + "\n").getBytes(UTF_8)
}
