package needletail.examples.memcached

import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.tcp.{Codec, Decoded, Decoder}

/**
 * memcached's text protocol as its server sees it. A command that is wrong is a message, too, as the connection goes on;
 * only a line without an end breaks it.
 *
 * @param maxItem bytes of a value
 */
private[memcached] final class MemcachedCodec(maxItem: Int) extends Codec[Command, Reply] {
  import MemcachedCodec._

  override val maxMessage: Option[Int] = Some(maxItem + MaxLine + 4)

  def decoder(): Decoder[Command] = new CommandDecoder(maxItem)

  def encode(reply: Reply): Array[Byte] = reply.bytes

  override def reject(reason: String): Option[Reply] = Some(Reply.Line(s"CLIENT_ERROR $reason"))
}

private[memcached] object MemcachedCodec {

  /** Bytes of a command's line. */
  final val MaxLine = 64 * 1024

  /** Bytes of a key. */
  final val MaxKey = 250
}

/** It remembers how far it has got, as a client may send its bytes one by one. */
private final class CommandDecoder(maxItem: Int) extends Decoder[Command] {
  import MemcachedCodec.MaxLine

  private var skip                = 0L   // bytes of an item that was too large, still to come
  private var looked              = 0    // bytes without the end of a line
  private var header: StoreHeader = null // whose item is not complete
  private var itemAt              = 0    // where it begins in the message

  def decode(bytes: Array[Byte], from: Int, until: Int): Decoded[Command] =
    if (skip > 0) {
      val count = math.min(skip, (until - from).toLong).toInt
      if (count == 0) Decoded.More
      else {
        skip -= count
        Decoded.Message(Command.Skipped, from + count)
      }
    } else if (header != null) item(bytes, from + itemAt, until)
    else {
      val end = lineEnd(bytes, from + looked, math.min(until, from + MaxLine))
      if (end < 0)
        if (until - from >= MaxLine) Decoded.Bad("line too long")
        else {
          looked = until - from
          Decoded.More
        }
      else {
        looked = 0
        line(bytes, from, end, until)
      }
    }

  private def line(bytes: Array[Byte], from: Int, end: Int, until: Int): Decoded[Command] = {
    val last = if (end > from && bytes(end - 1) == '\r') end - 1 else end
    CommandLine.parse(new String(bytes, from, last - from, ISO_8859_1)) match {
      case Whole(command)                               => Decoded.Message(command, end + 1)
      case large: StoreHeader if large.length > maxItem =>
        skip = large.length.toLong + 2
        Decoded.Message(Command.TooLarge(large.how, large.key, large.isQuiet), end + 1)
      case RefusedStore(wrong, length) =>
        skip = length.toLong + 2
        Decoded.Message(wrong, end + 1)
      case small: StoreHeader =>
        header = small
        itemAt = end + 1 - from
        item(bytes, end + 1, until)
    }
  }

  private def item(bytes: Array[Byte], at: Int, until: Int): Decoded[Command] =
    if (until - at < header.length + 2) Decoded.More
    else {
      val end      = at + header.length
      val complete = header
      header = null
      Decoded.Message(
        if (bytes(end) != '\r' || bytes(end + 1) != '\n')
          Command.Wrong("CLIENT_ERROR bad data chunk", complete.isQuiet)
        else complete.complete(java.util.Arrays.copyOfRange(bytes, at, end)),
        end + 2
      )
    }

  private def lineEnd(bytes: Array[Byte], from: Int, until: Int): Int = {
    var i = from
    while (i < until && bytes(i) != '\n') i += 1
    if (i < until) i else -1
  }
}
