package needletail.examples.memcached

import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.server.{Codec, Decoded, Decoder}

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

private final class CommandDecoder(maxItem: Int) extends Decoder[Command] {
  import MemcachedCodec.MaxLine

  private var skip = 0L // bytes of an item that was too large, still to come

  // of a command that is not complete, so that its bytes may come one by one
  private var looked              = 0    // bytes in which its line does not end
  private var header: StoreHeader = null // of the item that is awaited
  private var itemFrom            = 0    // where that begins, from the command's first byte on

  def decode(bytes: Array[Byte], from: Int, until: Int): Decoded[Command] =
    if (skip > 0) {
      val count = math.min(skip, (until - from).toLong).toInt
      if (count == 0) Decoded.More
      else {
        skip -= count
        Decoded.Message(Command.Skipped, from + count)
      }
    } else if (header != null) store(header, bytes, from, from + itemFrom, until)
    else {
      val end = lineEnd(bytes, from + looked, math.min(until, from + MaxLine))
      looked = 0
      if (end < 0)
        if (until - from >= MaxLine) Decoded.Bad("line too long")
        else {
          looked = until - from
          Decoded.More
        }
      else {
        val last = if (end > from && bytes(end - 1) == '\r') end - 1 else end
        CommandLine.parse(new String(bytes, from, last - from, ISO_8859_1)) match {
          case begun: StoreHeader => store(begun, bytes, from, end + 1, until)
          case Whole(command)     => Decoded.Message(command, end + 1)
        }
      }
    }

  private def store(
      begun: StoreHeader,
      bytes: Array[Byte],
      from: Int,
      at: Int,
      until: Int
  ): Decoded[Command] = {
    header = null
    if (begun.length > maxItem) {
      skip = begun.length.toLong + 2
      Decoded.Message(Command.TooLarge(begun.how, begun.key, begun.isQuiet), at)
    } else if (until - at < begun.length + 2) {
      header = begun
      itemFrom = at - from
      Decoded.More
    } else {
      val end = at + begun.length
      Decoded.Message(
        if (bytes(end) != '\r' || bytes(end + 1) != '\n') Command.Wrong("CLIENT_ERROR bad data chunk", begun.isQuiet)
        else begun.complete(java.util.Arrays.copyOfRange(bytes, at, end)),
        end + 2
      )
    }
  }

  private def lineEnd(bytes: Array[Byte], from: Int, until: Int): Int = {
    var i = from
    while (i < until && bytes(i) != '\n') i += 1
    if (i < until) i else -1
  }
}
