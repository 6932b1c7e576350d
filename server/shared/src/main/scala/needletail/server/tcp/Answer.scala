package needletail.server.tcp

import needletail.async.Async

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
