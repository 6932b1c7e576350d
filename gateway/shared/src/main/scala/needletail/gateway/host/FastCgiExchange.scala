package needletail.gateway.host

import needletail.async.Async
import needletail.http.ByteStream

/** One request on a connection to a FastCGI server. */
private[host] final class FastCgiExchange(
    connection: FastCgiPeer,
    val id: Int,
    val errors: ErrorLines,
    val isReused: Boolean // the connection has served others before
) extends Backend {
  private[host] val inbox = new Inbox(FastCgiExchange.MostWaiting, () => connection.roomAgain())

  /** Given up, and not ended by the peer yet: what comes for it is dropped. */
  private[host] var isDropped = false
  private[host] var isOver    = false
  private[host] var outEnded  = false // the stream of output has its end, the request perhaps not
  private var inputEnded      = false

  def write(bytes: Array[Byte]): Async[Unit] =
    if (isOver || isDropped || inputEnded) connection.noMore else connection.send(this, bytes)

  def endInput(): Unit = if (!inputEnded && !isOver && !isDropped) {
    inputEnded = true
    connection.endInput(this)
  }

  def hasSentAll: Boolean = inputEnded

  /** The peer did not wait for all of its content: it is told that there is no more. */
  def endInputLate(): Unit = if (!inputEnded) {
    inputEnded = true
    connection.endInput(this)
  }

  val output: ByteStream = inbox.stream

  override def isUnused: Boolean = isReused && !inbox.hasCome

  def stop(): Unit = if (!isOver && !isDropped) {
    isDropped = true
    inbox.drop()
    connection.giveUp(this)
  }

  /** The peer has ended it, or the connection is lost. */
  private[host] def end(cause: Throwable): Unit = if (!isOver) {
    isOver = true
    errors.end()
    inbox.end(cause)
  }
}

private object FastCgiExchange {

  /** Octets that wait for one client before the connection's reading pauses. */
  final val MostWaiting = 128 * 1024
}

/** The connection was lost, or cannot be used, before the peer had answered. */
private[host] final class PeerLost(message: String) extends java.io.IOException(message) {
  override def fillInStackTrace(): Throwable = this
}
