package needletail.gateway.host

import needletail.async.Async
import needletail.gateway.host.backend.{AnswerBuffer, Backend}
import needletail.http.ByteStream

/** A program that takes everything, and says what it is told to. */
private[host] class FakeBackend extends Backend {
  val answer                                 = new AnswerBuffer(1000, () => ())
  var isStopped                              = false
  def write(bytes: Array[Byte]): Async[Unit] = Async.unit
  def endInput(): Unit                       = ()
  def output: ByteStream                     = answer.stream
  def hasEnded: Boolean                      = answer.isOver
  override def isUnused: Boolean             = !answer.hasReceived
  def stop(): Unit                           = isStopped = true
  def says(text: String): Unit               = answer.add(text.getBytes)
}
