package needletail.simulation.reader

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.util.Arrays

import needletail.http.zlib.RawInflater

/**
 * An independent reader of the frames that one side of a WebSocket sends, as strict as RFC 6455 and RFC 7692.
 *
 * @param isClient whether that side is the client, which has to mask
 * @param compresses whether permessage-deflate has been agreed on
 * @param remembers whether a compressed message may refer to earlier ones
 */
final class StrictFrameReader(
    isClient: Boolean,
    compresses: Boolean,
    remembers: Boolean,
    heard: StrictFrameReader.Handler
)(
    found: String => Unit
) {
  import StrictFrameReader._

  private var bytes   = new Array[Byte](256)
  private var at      = 0
  private var until   = 0
  private var isWrong = false
  private var lastKey = 0
  private var hasKey  = false

  // the message of which not all fragments have come
  private val message      = new java.io.ByteArrayOutputStream
  private var isInMessage  = false
  private var isText       = false
  private var isCompressed = false

  private var inflater: RawInflater = null
  private var room                  = new Array[Byte](0)

  /** Whether its close frame has come. */
  var isClosed = false

  /** Whether it has sent a part of a frame, and no more so far. */
  def isInFrame: Boolean = at < until

  /** Releases what it holds. */
  def end(): Unit = if (inflater != null) {
    inflater.end()
    inflater = null
    isWrong = true
  }

  def feed(more: Array[Byte], from: Int, count: Int): Unit = if (!isWrong) {
    if (until + count > bytes.length) {
      val left = until - at
      bytes = Arrays.copyOf(Arrays.copyOfRange(bytes, at, until), math.max(2 * (left + count), 256))
      at = 0
      until = left
    }
    System.arraycopy(more, from, bytes, until, count)
    until += count
    while (!isWrong && frame()) ()
  }

  private def fail(what: String): Boolean = {
    isWrong = true
    val part = bytes.slice(at, math.min(until, at + 16)).map(b => f"$b%02x").mkString(" ")
    found(s"no WebSocket: $what, at $part")
    false
  }

  private def byte(i: Int): Int = bytes(i) & 0xff

  /** Reads a frame, if all of it is there. What its header says is judged as soon as that is. */
  private def frame(): Boolean = until - at >= 2 && {
    val first    = byte(at)
    val second   = byte(at + 1)
    val opcode   = first & 15
    val isFinal  = (first & 0x80) != 0
    val isMasked = (second & 0x80) != 0
    val short    = second & 0x7f
    val extra    = if (short == 126) 2 else if (short == 127) 8 else 0
    val head     = 2 + extra + (if (isMasked) 4 else 0)
    if (isClosed) fail("something after the close frame")
    else if (isMasked != isClient) fail(if (isClient) "it is not masked" else "it is masked")
    else if ((first & 0x30) != 0) fail("reserved bits")
    else if ((first & 0x40) != 0 && (!compresses || opcode != 1 && opcode != 2))
      fail("the bit of compression")
    else if (opcode >= 8 && (!isFinal || short > 125)) fail("a control frame that is long or a fragment")
    else if (opcode > 10 || opcode > 2 && opcode < 8) fail(s"opcode $opcode")
    else if (opcode == 0 && !isInMessage) fail("it continues nothing")
    else if ((opcode == 1 || opcode == 2) && isInMessage) fail("a message within another")
    else
      until - at >= head && {
        var length = if (extra == 0) short.toLong else 0L
        for (i <- 0 until extra) length = length << 8 | byte(at + 2 + i).toLong
        if (extra == 2 && length < 126 || extra == 8 && length < 65536) fail("a length in too many bytes")
        else if (length < 0 || length > Longest) fail(s"a length of $length")
        else
          until - at >= head + length && {
            if (isMasked) unmask(at + head - 4, at + head, length.toInt)
            val payload = Arrays.copyOfRange(bytes, at + head, at + head + length.toInt)
            !isWrong && {
              at += head + length.toInt
              if (opcode >= 8) control(opcode, payload) else data(first, opcode, isFinal, payload)
            }
          }
      }
  }

  private def unmask(key: Int, from: Int, length: Int): Unit = {
    val now = byte(key) << 24 | byte(key + 1) << 16 | byte(key + 2) << 8 | byte(key + 3)
    if (hasKey && now == lastKey) fail("the key of the frame before") // else by chance once in 2^32 frames
    hasKey = true
    lastKey = now
    for (i <- 0 until length) bytes(from + i) = (bytes(from + i) ^ bytes(key + i % 4)).toByte
  }

  private def control(opcode: Int, payload: Array[Byte]): Boolean = opcode match {
    case 9  => heard.ping(payload); true
    case 10 => heard.pong(payload); true
    case _  =>
      isClosed = true
      if (payload.length == 0) { heard.close(1005, ""); true }
      else if (payload.length == 1) fail("half a close code")
      else {
        val code = (payload(0) & 0xff) << 8 | payload(1) & 0xff
        if (!mayBeSent(code)) fail(s"close code $code")
        else if (!isUtf8(payload.drop(2))) fail("a reason that is not UTF-8")
        else {
          heard.close(code, new String(payload, 2, payload.length - 2, UTF_8))
          true
        }
      }
  }

  private def data(first: Int, opcode: Int, isFinal: Boolean, payload: Array[Byte]): Boolean = {
    if (opcode != 0) {
      isText = opcode == 1
      isCompressed = (first & 0x40) != 0
      isInMessage = true
    }
    message.write(payload, 0, payload.length)
    if (isFinal) {
      val whole = message.toByteArray
      message.reset()
      isInMessage = false
      val plain = if (isCompressed) inflate(whole) else whole
      if (plain == null) fail("data that are not compressed")
      else if (isText && !isUtf8(plain)) fail("a text that is not UTF-8")
      else heard.message(isText, plain)
    }
    !isWrong
  }

  private def inflate(packed: Array[Byte]): Array[Byte] = {
    if (inflater == null) {
      inflater = new RawInflater
      room = new Array[Byte](Longest)
    } else if (!remembers) inflater.reset()
    val input = packed ++ Tail
    inflater.setInput(input, 0, input.length)
    try {
      var n    = 0
      var more = 1
      while (more > 0 && n < room.length) {
        more = inflater.inflate(room, n, room.length - n)
        n += more
      }
      if (inflater.remaining > 0) null else Arrays.copyOf(room, n)
    } catch { case _: java.util.zip.DataFormatException => null }
  }
}

object StrictFrameReader {

  /** Who is told what a side has sent, in order. */
  trait Handler {
    def message(isText: Boolean, bytes: Array[Byte]): Unit
    def ping(bytes: Array[Byte]): Unit = ()
    def pong(bytes: Array[Byte]): Unit = ()
    def close(code: Int, reason: String): Unit
  }

  private final val Longest = 256 * 1024

  /** RFC 7692 §7.2.2. */
  private val Tail = Array[Byte](0, 0, -1, -1)

  def mayBeSent(code: Int): Boolean =
    Set(1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014).contains(
      code
    ) || code >= 3000 && code < 5000

  /** What is not UTF-8 does not survive being decoded. */
  private def isUtf8(bytes: Array[Byte]): Boolean =
    Arrays.equals(new String(bytes, UTF_8).getBytes(UTF_8), bytes)

  /** The head of a message of HTTP at the beginning of these bytes, as lines; None if it is not complete. */
  def head(bytes: Array[Byte], count: Int): Option[(List[String], Int)] = {
    val text = new String(bytes, 0, count, ISO_8859_1)
    val end  = text.indexOf("\r\n\r\n")
    if (end < 0) None else Some((text.substring(0, end).split("\r\n").toList, end + 4))
  }
}
