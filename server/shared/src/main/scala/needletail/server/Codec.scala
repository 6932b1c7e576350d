package needletail.server

import needletail.async.Async

/**
 * How a protocol's messages lie in the octets of a connection. With a function that answers them it makes a
 * server of any protocol: [[TcpServer.serve]].
 *
 * @tparam I what clients send
 * @tparam O what they are answered
 */
trait Codec[I, O] {

  /** A decoder for one connection; it may keep state from message to message. */
  def decoder(): Decoder[I]

  /** The octets of one answer; the array is given away. */
  def encode(answer: O): Array[Byte]

  /** What a client gets whose octets are no message, before the connection ends; None: nothing. */
  def reject(reason: String): Option[O] = None
}

trait Decoder[+I] {

  /**
   * Takes one message off the front of `bytes` from `from` until `until`. Nothing of the array may be kept.
   * It must bound what it asks for: octets that are no message yet are kept and come again with more behind
   * them, at most 64 KiB of them.
   */
  def decode(bytes: Array[Byte], from: Int, until: Int): Decoded[I]
}

sealed abstract class Decoded[+I]

object Decoded {

  /** Not a whole message yet. */
  case object More extends Decoded[Nothing]

  /** A message, which ends before `until`. */
  final case class Message[+I](message: I, until: Int) extends Decoded[I]

  /** No message of this protocol: the connection ends. */
  final case class Bad(reason: String) extends Decoded[Nothing]
}

/** What comes of a message: answers, and whether the connection goes on. */
final case class Answer[+O](messages: Seq[O], close: Boolean)

object Answer {
  def apply[O](message: O): Async[Answer[O]] = Async.value(Answer(Seq(message), close = false))

  /** The connection's last words. */
  def last[O](message: O): Async[Answer[O]] = Async.value(Answer(Seq(message), close = true))

  /** A message that is not answered. */
  val none: Async[Answer[Nothing]] = Async.value(Answer(Nil, close = false))

  val close: Async[Answer[Nothing]] = Async.value(Answer(Nil, close = true))
}
