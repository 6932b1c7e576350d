package needletail.gateway.host.upstream

import needletail.async.Async
import needletail.gateway.host.backend.{AnswerBuffer, Backend, StandardErrorLog}
import needletail.http.ByteStream

/** One request on a connection to a FastCGI server. */
private[host] final class FastCgiExchange(
    connection: FastCgiPeer,
    val id: Int,
    val errors: StandardErrorLog
) extends Backend {
  private[host] val answer = new AnswerBuffer(FastCgiExchange.MostWaiting, () => connection.roomAgain())

  /** Whether it was aborted, and not ended by the peer yet: its data is dropped. */
  private[host] var isDropped = false
  private[host] var isOver    = false
  private[host] var outEnded  = false // whether the output stream has ended; the request may not have
  private var inputEnded      = false

  /** Where the connection's output was when the last content had been written: what is behind it is another's. */
  private[host] var contentUntil = 0L

  def write(bytes: Array[Byte]): Async[Unit] =
    if (isOver || isDropped || inputEnded) connection.noMore else connection.send(this, bytes)

  override def inputProgress: Long = Math.min(connection.outputProgress, contentUntil)
  override def offerInput(): Unit  = connection.offerPending()

  override def isHeard: Boolean   = !connection.isPaused
  override def unheardNanos: Long = connection.pausedNanos

  def endInput(): Unit = if (!inputEnded && !isOver && !isDropped) {
    inputEnded = true
    connection.endInput(this)
  }

  def hasSentAll: Boolean = inputEnded
  def hasEnded: Boolean   = isOver

  /** Ends the content of a request to which the peer has responded before reading all of it. */
  def endInputLate(): Unit = if (!inputEnded) {
    inputEnded = true
    connection.endInput(this)
  }

  val output: ByteStream = answer.stream

  override def isUnused: Boolean = !answer.hasReceived

  def stop(): Unit = if (!isOver && !isDropped) {
    isDropped = true
    answer.drop()
    connection.giveUp(this)
  }

  /** The peer has ended it, or the connection is lost. */
  private[host] def end(cause: Throwable): Unit = if (!isOver) {
    isOver = true
    errors.end()
    answer.end(cause)
  }
}

private object FastCgiExchange {

  /** Bytes pending for one client before reading the connection pauses. */
  final val MostWaiting = 128 * 1024
}
