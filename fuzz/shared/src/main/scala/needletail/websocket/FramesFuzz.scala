package needletail.websocket

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, StandardCharsets}

import needletail.fuzz.{Check, FuzzTarget, Pieces}
import needletail.websocket.frame.{CloseCode, FrameReader}

/**
 * Frames of WebSockets by [[FrameReader]], as a server or as a client by the first byte: the same whole and in pieces,
 * and as for a reader that has all bytes at once. It never holds more than twice what has arrived.
 */
object FramesFuzz extends FuzzTarget("frames") {
  private final val MaxMessage = 300

  def check(data: Array[Byte]): Unit = if (data.length > 0) {
    val bytes    = data.drop(1)
    val isServer = (data(0) & 1) == 0
    val whole    = found(bytes, isServer, Array(bytes.length), 'A')
    Pieces.of(bytes.length).foreach(ends =>
      Check.same(s"in ${ends.length} pieces", found(bytes, isServer, ends, '\n'), whole)
    )
    val other = expected(bytes, isServer)
    Check(whole == other || isEarly(whole, other), s"another reader:\n  $other\n  $whole")
  }

  /** Wrong text fails as soon as it comes. The other reader sees it when the message is complete, if it ever is. */
  private def isEarly(found: Vector[String], other: Vector[String]): Boolean =
    found.lastOption.contains("failed 1007") && other.startsWith(found.init) &&
      !other.drop(found.length - 1).exists(event => event.startsWith("text") || event.startsWith("binary"))

  override def read(data: Array[Byte]): Unit = {
    val reader = new FrameReader((data(0) & 1) == 0, Int.MaxValue, Long.MaxValue, new Memory)
    reader.open(data, 1, data.length)
    var found = FrameReader.Message
    while (found != FrameReader.More && found < FrameReader.Close) found = reader.next()
  }

  private final class Memory extends FrameReader.Memory {
    var held                                    = 0L
    def hold(more: Int, already: Long): Boolean = { held += more; true }
    def release(bytes: Int): Unit               = held -= bytes
  }

  private def message(isText: Boolean, data: Array[Byte]) =
    s"${if (isText) "text" else "binary"} ${data.toList}"

  private def found(bytes: Array[Byte], isServer: Boolean, ends: Array[Int], filler: Byte): Vector[String] = {
    val memory = new Memory
    val reader = new FrameReader(isServer, MaxMessage, Long.MaxValue, memory)
    var all    = Vector.empty[String]
    var at     = 0
    var over   = false
    Pieces.feed(bytes, ends, filler) { (array, from, until) =>
      if (!over) {
        reader.open(array, from + at, until)
        var go = true
        while (go) {
          go = false
          reader.next() match {
            case FrameReader.More    => ()
            case FrameReader.Message => all :+= message(reader.isText, reader.data); go = true
            case FrameReader.Ping    => all :+= s"ping ${reader.data.toList}"; go = true
            case FrameReader.Pong    => all :+= s"pong ${reader.data.toList}"; go = true
            case FrameReader.Close   => all :+= s"close ${reader.code} ${reader.reason}"; over = true
            case _                   => all :+= s"failed ${reader.code}"; over = true
          }
        }
        val used = reader.close() - from
        Check(used >= at && used <= until - from, s"used $used of ${until - from}")
        at = used
        Check(memory.held <= 2L * bytes.length, s"${memory.held} bytes held of ${bytes.length}")
      }
    }
    reader.end()
    Check.same("bytes held in the end", memory.held, 0L)
    all
  }

  private def isText(bytes: Array[Byte]): Boolean =
    try {
      StandardCharsets.UTF_8.newDecoder.decode(ByteBuffer.wrap(bytes))
      true
    } catch { case _: CharacterCodingException => false }

  /** RFC 6455 §5, for all bytes at once. */
  private def expected(b: Array[Byte], isServer: Boolean): Vector[String] = {
    var all     = Vector.empty[String]
    var at      = 0
    var message = Option.empty[(Int, Array[Byte])] // the opcode, and the content so far
    while (true) {
      if (b.length - at < 2) return all
      val opcode = b(at) & 15
      val isLast = b(at) < 0
      val masked = b(at + 1) < 0
      val short  = b(at + 1) & 127
      val isData = opcode < 8
      if ((b(at) & 0x70) != 0 || !Set(0, 1, 2, 8, 9, 10)(opcode) || masked != isServer)
        return all :+ "failed 1002"
      if (!isData && (!isLast || short > 125)) return all :+ "failed 1002"
      if (isData && (opcode == 0) != message.isDefined) return all :+ "failed 1002"
      val size = if (short < 126) 0 else if (short == 126) 2 else 8
      if (b.length - at < 2 + size) return all
      val length = if (size == 0) BigInt(short) else BigInt(1, b.slice(at + 2, at + 2 + size))
      if (size > 0 && length < (if (size == 2) 126 else 65536) || length >= (BigInt(1) << 63))
        return all :+ "failed 1002"
      if (isData && length + message.fold(0)(_._2.length) > MaxMessage) return all :+ "failed 1009"
      val from = at + 2 + size + (if (masked) 4 else 0)
      if (b.length < from + length.toInt) return all
      val key     = b.slice(from - 4, from)
      val payload =
        Array.tabulate(length.toInt)(i => if (masked) (b(from + i) ^ key(i % 4)).toByte else b(from + i))
      at = from + payload.length
      opcode match {
        case 9  => all :+= s"ping ${payload.toList}"
        case 10 => all :+= s"pong ${payload.toList}"
        case 8  => return all :+ closed(payload)
        case _  =>
          val (kind, content) = message.fold(opcode -> payload) { case (kind, before) =>
            kind -> (before ++ payload)
          }
          message = Some(kind -> content)
          if (isLast) {
            if (kind == 1 && !isText(content)) return all :+ "failed 1007"
            all :+= this.message(kind == 1, content)
            message = None
          }
      }
    }
    all
  }

  private def closed(payload: Array[Byte]): String =
    if (payload.isEmpty) "close 1005 "
    else if (payload.length == 1) "failed 1002"
    else {
      val code = (payload(0) & 0xff) << 8 | (payload(1) & 0xff)
      if (!CloseCode.isAllowed(code)) "failed 1002"
      else if (!isText(payload.drop(2))) "failed 1007"
      else s"close $code ${new String(payload.drop(2), StandardCharsets.UTF_8)}"
    }
}
