package needletail.server.tcp

import needletail.async.Async

/**
 * How the messages of a protocol are encoded as bytes. Together with a function that answers messages it makes a
 * server: [[TcpServer.serve]].
 *
 * @tparam I messages of clients
 * @tparam O messages of the server
 */
trait Codec[I, O] {

  /** Creates the decoder for one connection; it may keep state between messages. */
  def decoder(): Decoder[I]

  /** The bytes of one message; the array belongs to the caller. */
  def encode(answer: O): Array[Byte]

  /**
   * The last message to a client whose bytes could not be decoded, before the connection is closed; None: nothing is
   * sent.
   */
  def reject(reason: String): Option[O] = None
}

/** Finds the messages in the bytes of one connection. */
trait Decoder[+I] {

  /**
   * Decodes one message at the front of `bytes`, from `from` until `until`. The array must not be kept. Bytes of an
   * incomplete message are passed again together with the bytes that follow, up to `ServerConfig.maxHead` in all; a
   * longer message ends the connection.
   */
  def decode(bytes: Array[Byte], from: Int, until: Int): Decoded[I]
}

/** The result of [[Decoder.decode]]. */
sealed abstract class Decoded[+I]

object Decoded {

  /** The message is not complete yet. */
  case object More extends Decoded[Nothing]

  /** A message, whose bytes end before index `until` of the array. */
  final case class Message[+I](message: I, until: Int) extends Decoded[I]

  /** The bytes are malformed: the connection is closed. */
  final case class Bad(reason: String) extends Decoded[Nothing]
}

/**
 * The answer to one message.
 *
 * @param messages sent in this order
 * @param close whether the connection is closed after them
 */
final case class Answer[+O](messages: Seq[O], close: Boolean)

object Answer {

  /** One message. */
  def apply[O](message: O): Async[Answer[O]] = Async.value(Answer(Seq(message), close = false))

  /** One message, after which the connection is closed. */
  def last[O](message: O): Async[Answer[O]] = Async.value(Answer(Seq(message), close = true))

  /** No message. */
  val none: Async[Answer[Nothing]] = Async.value(Answer(Nil, close = false))

  /** No message, and the connection is closed. */
  val close: Async[Answer[Nothing]] = Async.value(Answer(Nil, close = true))
}
