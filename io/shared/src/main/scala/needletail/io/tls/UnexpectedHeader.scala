package needletail.io.tls

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.ISO_8859_1

/** Recognises a PROXY header, of version 1 or 2, that comes from a peer which is not known as a proxy. */
private[needletail] object UnexpectedHeader {
  private val starts =
    Seq("PROXY TCP", "PROXY UNKNOWN", "\r\n\r\n\u0000\r\nQUIT\n").map(_.getBytes(ISO_8859_1))

  /** What is logged of a peer that has sent one, and got a 400. Its address is empty on a Unix socket, or if it has gone. */
  def warning(peer: String): String =
    s"${named(peer)} sent a PROXY header, but is not in ServerConfig.proxies; it was answered with 400"

  /** A peer at the beginning of a line of the log. */
  def named(peer: String): String = if (peer.isEmpty) "a peer" else peer

  /** Whether the bytes begin with such a header, or are the beginning of one that tells it from HTTP. */
  def isIn(bytes: Array[Byte], from: Int, until: Int): Boolean =
    until - from >= Least && starts.exists { start =>
      val most = Math.min(start.length, until - from)
      var same = 0
      while (same < most && bytes(from + same) == start(same)) same += 1
      same == most
    }

  /** The same for what is left in a buffer, whose position stays. */
  def isIn(bytes: ByteBuffer): Boolean = {
    val first = new Array[Byte](math.min(bytes.remaining, Longest))
    bytes.duplicate.get(first)
    isIn(first, 0, first.length)
  }

  private final val Longest = 16

  /** The word of version 1, or up to the first byte that cannot be HTTP in version 2, at which its parser ends. */
  private final val Least = 5
}
