package needletail.tcp

/**
 * How the messages of a protocol are encoded as bytes, seen from one side. Together with a function that answers
 * messages it makes a server (`Server.withCodec`), together with an address a client ([[TcpClient]]).
 *
 * @tparam I messages that this side receives
 * @tparam O messages that this side sends
 */
trait Codec[I, O] {

  /** Creates the decoder for one connection; it may keep state between messages. */
  def decoder(): Decoder[I]

  /** The bytes of one message; the array belongs to the caller. May be called on several threads at once. */
  def encode(message: O): Array[Byte]

  /**
   * A server's last message to a client whose bytes could not be decoded, before the connection is closed; None:
   * nothing is sent. Clients do not use it.
   */
  def reject(reason: String): Option[O] = None

  /**
   * Bytes of the longest message that is received. A longer one ends the connection. None: `ServerConfig.maxHead` of a
   * server, `TcpClientConfig.maxMessage` of a client.
   */
  def maxMessage: Option[Int] = None
}

/** Finds the messages in the bytes of one connection. */
trait Decoder[+I] {

  /**
   * Decodes one message at the front of `bytes`, from `from` until `until`. The array must not be kept: its bytes are
   * overwritten after the return.
   *
   * After `Decoded.More`, the next call has the same bytes again, at whatever index, together with those that follow.
   * So a decoder may remember its progress, relative to `from`. It must reset this with
   * each message it returns.
   */
  def decode(bytes: Array[Byte], from: Int, until: Int): Decoded[I]
}

/** The result of [[Decoder.decode]]. */
sealed abstract class Decoded[+I]

object Decoded {

  /** The message is not complete yet. */
  case object More extends Decoded[Nothing]

  /** A message, whose bytes end before index `until` of the array; it has at least one byte. */
  final case class Message[+I](message: I, until: Int) extends Decoded[I]

  /** The bytes are malformed: the connection is closed. */
  final case class Bad(reason: String) extends Decoded[Nothing]
}
