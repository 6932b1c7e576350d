package needletail.conformance.client

import java.io.ByteArrayOutputStream

/** Reads replies by the letter of RFC 9112: no leniency, so that nothing wrong passes unseen. */
final class ReplyReader(wire: Wire, replyMillis: Long = ReplyReader.ReplyMillis) {
  import ReplyReader._

  private var deadline = 0L
  private var read     = 0L // bytes of the message being read

  /** The next final reply, interim ones before it gathered in it. */
  def next(ask: Ask): Seen = {
    var interim = Vector.empty[Reply]
    var seen    = nextOfAny(ask)
    while (
      seen match { case Seen.Answer(reply) => reply.status < 200 && reply.status != 101; case _ => false }
    ) {
      seen match {
        case Seen.Answer(reply) => interim :+= reply
        case _                  => ()
      }
      seen = nextOfAny(ask)
    }
    seen match {
      case Seen.Answer(reply) => Seen.Answer(reply.copy(interim = interim))
      case other              => other
    }
  }

  /** The next reply, interim or final. */
  def nextOfAny(ask: Ask): Seen = {
    deadline = Wire.in(replyMillis)
    read = 0
    try Seen.Answer(message(ask))
    catch {
      case Broken(Wire.End) if read == 0 => Seen.Ended
      case Broken(Wire.End)              =>
        Seen.Nonsense(s"the connection ended after $read bytes, inside the head of a reply")
      case Broken(Wire.Reset) => Seen.Reset
      case Broken(_)          => Seen.Silent(s"$read bytes")
      case Wrong(why)         => Seen.Nonsense(why)
    }
  }

  private def message(ask: Ask): Reply = {
    val (version, status, reason) = statusLine(line())
    val fields                    = fieldLines()
    val head                      = Reply(
      version,
      status,
      reason,
      fields,
      Framing.Nothing,
      Array.emptyByteArray,
      Vector.empty,
      whole = true
    )
    val framing = framingOf(head, ask)
    val body    = new ByteArrayOutputStream
    try {
      val trailers = content(framing, body)
      head.copy(framing = framing, body = body.toByteArray, trailers = trailers)
    } catch {
      case Broken(Wire.Silence) =>
        throw Wrong(s"the reply (status $status) stalled after ${body.size} bytes of its body")
      case Broken(_) => head.copy(framing = framing, body = body.toByteArray, whole = false)
    }
  }

  /** RFC 9112 §6.3, as a client follows it. */
  private def framingOf(head: Reply, ask: Ask): Framing =
    if (ask.head || head.status < 200 || head.status == 204 || head.status == 304) Framing.Nothing
    else if (head.has("Transfer-Encoding")) {
      if (head.list("Transfer-Encoding").map(_.toLowerCase) != Vector("chunked"))
        throw Wrong(s"Transfer-Encoding: ${head.all("Transfer-Encoding").mkString(" | ")}")
      Framing.Chunked
    } else
      head.all("Content-Length") match {
        case Vector()                                        => Framing.UntilClose
        case Vector(digits) if digits.matches("[0-9]{1,18}") => Framing.Length(digits.toLong)
        case other => throw Wrong(s"Content-Length: ${other.mkString(" | ")} (RFC 9110 §8.6)")
      }

  private def content(framing: Framing, body: ByteArrayOutputStream): Vector[(String, String)] =
    framing match {
      case Framing.Nothing       => Vector.empty
      case Framing.Length(bytes) => copy(bytes, body); Vector.empty
      case Framing.UntilClose    =>
        var byte = wire.next(deadline)
        while (byte >= 0) {
          body.write(byte)
          byte = wire.next(deadline)
        }
        if (byte != Wire.End) throw Broken(byte)
        Vector.empty
      case Framing.Chunked =>
        var size = chunkSize()
        while (size > 0) {
          copy(size, body)
          if (line() != "") throw Wrong("no CRLF after the data of a chunk (RFC 9112 §7.1)")
          size = chunkSize()
        }
        fieldLines()
    }

  private def chunkSize(): Long = line() match {
    case ChunkLine(digits, _) => java.lang.Long.parseLong(digits, 16)
    case other                => throw Wrong(s"chunk size line [${Reply.visible(other)}] (RFC 9112 §7.1)")
  }

  private val block = new Array[Byte](16384)

  private def copy(bytes: Long, body: ByteArrayOutputStream): Unit = {
    var left = bytes
    while (left > 0) {
      val count = wire.read(block, 0, math.min(left, block.length.toLong).toInt, deadline)
      if (count < 0) throw Broken(count)
      // a long reply may take its time as long as it moves
      deadline = Wire.in(replyMillis)
      body.write(block, 0, count)
      left -= count
    }
  }

  private def statusLine(line: String): (String, Int, String) = line match {
    case StatusLine(version, status, reason) => (version, status.toInt, reason)
    case other => throw Wrong(s"status line [${Reply.visible(other)}] (RFC 9112 §4)")
  }

  private def fieldLines(): Vector[(String, String)] = {
    val fields = Vector.newBuilder[(String, String)]
    var next   = line()
    while (next != "") {
      next match {
        case FieldLine(name, value) => fields += ((name, value.trim))
        case other                  => throw Wrong(s"field line [${Reply.visible(other)}] (RFC 9112 §5)")
      }
      next = line()
    }
    fields.result()
  }

  /** A line up to CRLF; a CR or an LF alone is an error (RFC 9112 §2.2). */
  private def line(): String = {
    val text = new java.lang.StringBuilder
    var byte = one()
    while (byte != '\r') {
      if (byte == '\n')
        throw Wrong(s"bare LF after [${Reply.visible(text.toString.takeRight(80))}] (RFC 9112 §2.2)")
      if (text.length > 65536) throw Wrong("a line of more than 64 KB")
      text.append(byte.toChar)
      byte = one()
    }
    if (one() != '\n')
      throw Wrong(s"bare CR after [${Reply.visible(text.toString.takeRight(80))}] (RFC 9112 §2.2)")
    text.toString
  }

  private def one(): Int = {
    val byte = wire.next(deadline)
    if (byte < 0) throw Broken(byte)
    read += 1
    byte
  }
}

object ReplyReader {

  /** How long a reply may take: far above what any of these needs, far below the programs' timeouts' sum. */
  val ReplyMillis = 15000L

  private final case class Broken(state: Int) extends Exception(null, null, false, false)
  private final case class Wrong(why: String) extends Exception(why, null, false, false)

  private val StatusLine = """(HTTP/1\.[01]) ([1-9][0-9][0-9]) ([\t\x20-\x7e\x80-\xff]*)""".r
  private val FieldLine  = """([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)""".r
  private val ChunkLine  = """([0-9A-Fa-f]{1,15})((?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?)""".r
}
