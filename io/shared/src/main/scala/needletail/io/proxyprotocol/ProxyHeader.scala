package needletail.io.proxyprotocol

import java.io.IOException
import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.io.dns.AddressText

/**
 * Reads the header in which a proxy names its client: the PROXY protocol of HAProxy, versions 1 and 2.
 * It never needs a byte beyond the header. Not thread-safe.
 */
private[io] final class ProxyHeader {
  import ProxyHeader.*

  private var kept   = new Array[Byte](MaxLine)
  private var count  = 0
  private var target = Prefix // the number of bytes that are certainly part of the header

  /** Where to put the next bytes. */
  def bytes: Array[Byte] = kept
  def position: Int      = count

  /** How many bytes to read next, at most; 0 if the header is complete. */
  def wanted: Int = target - count

  /** The client's address and the one it connected to, in the form of `Socket.remoteAddress`; null if the header has none. */
  var client: String = null
  var server: String = null

  /** Whether the client uses TLS towards the proxy, which ends it there: the extension PP2_TYPE_SSL says so. */
  var isSecure: Boolean = false

  /** `n` bytes were read. Throws an IOException if they are not such a header. */
  def add(n: Int): Unit = {
    count += n
    if (wanted == 0) {
      if (kept(0) == 'P') line()
      else if (isBinary) binary()
      else throw new IOException("a proxy sent no PROXY header")
    }
  }

  // Version 1: a line of text

  private def line(): Unit = {
    if (!text(0, 6).equals("PROXY ")) throw new IOException("a proxy sent no PROXY header")
    if (kept(count - 1) == '\n') {
      if (kept(count - 2) != '\r') malformed()
      text(0, count - 2).split(" ", -1).toList match { // also what is empty at the end
        case "PROXY" :: "UNKNOWN" :: _                                                           => ()
        case List("PROXY", kind, from, to, fromPort, toPort) if kind == "TCP4" || kind == "TCP6" =>
          val size = if (kind == "TCP4") 4 else 16
          client = endpoint(from, fromPort, size)
          server = endpoint(to, toPort, size)
        case _ => malformed()
      }
    } else if (count == MaxLine) malformed()
    else target = if (count == Prefix) LeastLine else count + 1
  }

  private def endpoint(ip: String, port: String, size: Int): String = {
    val bytes  = AddressText.parse(ip)
    val number =
      if (port.nonEmpty && port.length <= 5 && port.forall(c => c >= '0' && c <= '9')) port.toInt else -1
    if ((bytes eq null) || bytes.length != size || number < 0 || number > 65535) malformed()
    AddressText.render(bytes, number)
  }

  // Version 2: binary

  private def isBinary: Boolean = Signature.indices.forall(i => kept(i) == Signature(i))

  private def binary(): Unit =
    if (count == Prefix) target = Head
    else if (count == Head) {
      val length = short(14)
      if ((kept(12) & 0xf0) != 0x20 || (kept(12) & 0x0f) > 1) malformed()
      if (length > MaxBinary) throw new IOException(s"a PROXY header has $length bytes, more than $MaxBinary")
      if (length == 0) addresses(0)
      else {
        target = Head + length
        kept = java.util.Arrays.copyOf(kept, math.max(kept.length, target))
      }
    } else addresses(count - Head)

  private def addresses(length: Int): Unit = if ((kept(12) & 0x0f) == 1) (kept(13) & 0xff) match {
    case 0x11 => pair(4, length)
    case 0x21 => pair(16, length)
    case 0x31 => if (length > UnixPair) extensions(Head + UnixPair)
    case _    => () // not known, or not TCP
  }

  private def pair(size: Int, length: Int): Unit = {
    if (length < 2 * size + 4) malformed()
    def ip(from: Int) = java.util.Arrays.copyOfRange(kept, from, from + size)
    client = AddressText.render(ip(Head), short(Head + 2 * size))
    server = AddressText.render(ip(Head + size), short(Head + 2 * size + 2))
    extensions(Head + 2 * size + 4)
  }

  /** What follows the addresses: each with its type, two bytes of length, and a value. */
  private def extensions(from: Int): Unit = {
    var at = from
    while (at < count) {
      val value = at + 3
      if (value > count || short(at + 1) > count - value) malformed()
      if (kept(at) == Ssl) {
        if (short(at + 1) == 0) malformed()
        isSecure = (kept(value) & ClientUsesTls) != 0
      }
      at = value + short(at + 1)
    }
  }

  private def short(at: Int): Int                 = (kept(at) & 0xff) << 8 | (kept(at + 1) & 0xff)
  private def text(from: Int, until: Int): String = new String(kept, from, until - from, ISO_8859_1)
  private def malformed(): Nothing                = throw new IOException("a PROXY header is malformed")
}

private[io] object ProxyHeader {
  private val Signature = Array[Byte](13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10)

  private final val Prefix    = 12   // both versions have as many bytes at least
  private final val LeastLine = 15   // PROXY UNKNOWN and a line end
  private final val MaxLine   = 107
  private final val Head      = 16
  private final val UnixPair  = 216  // two addresses of Unix sockets
  private final val MaxBinary = 4096 // addresses and extensions; the protocol would allow 64 KiB

  private final val Ssl           = 0x20.toByte // PP2_TYPE_SSL, whose value begins with flags
  private final val ClientUsesTls = 1           // PP2_CLIENT_SSL
}
