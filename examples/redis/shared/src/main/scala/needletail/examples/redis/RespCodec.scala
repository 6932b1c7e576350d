package needletail.examples.redis

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

import needletail.tcp.{Codec, Decoder}

/** A command: its name and its arguments. The arrays must not change. */
final case class Command(words: Vector[Array[Byte]]) {
  def name: String              = new String(words.head, ISO_8859_1).toUpperCase
  override def toString: String = s"Command($name, ${words.length - 1} arguments)"
}

object Command {
  def apply(name: String, arguments: Array[Byte]*): Command =
    Command(name.getBytes(UTF_8) +: arguments.toVector)

  /** With arguments of text. */
  def of(name: String, arguments: String*): Command = apply(name, arguments.map(_.getBytes(UTF_8)): _*)
}

/** Redis' protocol as its clients see it: values come, commands go. */
final class RespCodec(maxBytes: Int) extends Codec[RespValue, Command] {
  override val maxMessage: Option[Int] = Some(maxBytes)

  def decoder(): Decoder[RespValue] = new RespDecoder

  /** An array of bulk strings. */
  def encode(command: Command): Array[Byte] = {
    val heads = command.words.map(word => s"$$${word.length}\r\n".getBytes(ISO_8859_1))
    val first = s"*${command.words.length}\r\n".getBytes(ISO_8859_1)
    val size  = heads.foldLeft(first.length.toLong)(_ + _.length) +
      command.words.foldLeft(0L)((sum, word) => sum + word.length + 2)
    val bytes                           = new Array[Byte](Math.toIntExact(size))
    var at                              = 0
    def append(part: Array[Byte]): Unit = {
      System.arraycopy(part, 0, bytes, at, part.length)
      at += part.length
    }
    append(first)
    for ((head, word) <- heads.lazyZip(command.words)) {
      append(head)
      append(word)
      bytes(at) = '\r'
      bytes(at + 1) = '\n'
      at += 2
    }
    bytes
  }
}
