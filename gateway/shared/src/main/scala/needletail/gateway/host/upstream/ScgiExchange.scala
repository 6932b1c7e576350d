package needletail.gateway.host.upstream

import needletail.async.{Async, AsyncPromise}
import needletail.gateway.host.backend.{AnswerBuffer, Backend}
import needletail.http.ByteStream
import needletail.io.{Connection, ConnectionHandler}

/** A request to an SCGI server, on its own connection; the response ends with the connection. */
private[host] final class ScgiExchange(connection: Connection, gone: () => Unit)
    extends Backend
    with ConnectionHandler {
  private val answer = new AnswerBuffer(ScgiExchange.MostWaiting, () => connection.resumeReading())
  private var room: AsyncPromise[Unit] = null

  def write(bytes: Array[Byte]): Async[Unit] = {
    connection.writeOwned(bytes, 0, bytes.length)
    if (!connection.takesOutput) ScgiExchange.noMore
    else if (connection.pendingBytes <= ScgiExchange.MostPending) Async.unit
    else {
      room = new AsyncPromise[Unit]
      room
    }
  }

  override def inputProgress: Long = connection.outputProgress

  // the kernel reports room in its buffer only long after a slow reader has freed it
  override def offerInput(): Unit = connection.offerPending()

  /** Nothing to do: its length was announced, and some servers take a half-close for a disconnect. */
  def endInput(): Unit = ()

  def hasEnded: Boolean = answer.isOver

  val output: ByteStream = answer.stream

  override def isUnused: Boolean = !answer.hasReceived

  def stop(): Unit = {
    answer.drop()
    connection.close()
  }

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    answer.add(java.util.Arrays.copyOfRange(bytes, from, until))
    if (answer.isFull) connection.pauseReading()
    until
  }

  def onEnd(): Unit = {
    answer.end(null)
    connection.close()
  }

  def onDrained(): Unit = if (room != null) {
    val promise = room
    room = null
    promise.succeed(())
    ()
  }

  def onDeadline(): Unit = ()

  /** A server may respond, and close the connection, before it has read the content: that resets it. */
  private[needletail] override def readsWhenBroken: Boolean = true

  private[needletail] override def onBroken(): Unit = noRoom(ScgiExchange.closed)

  private def noRoom(why: PeerLost): Unit = if (room != null) {
    val promise = room
    room = null
    promise.fail(why)
    ()
  }

  def onClosed(cause: Throwable): Unit = {
    val why = new PeerLost(
      s"the connection was lost before its response was complete${if (cause == null) ""
        else ": " + cause.getMessage}"
    )
    answer.end(why)
    noRoom(why)
    gone()
  }
}

private[host] object ScgiExchange {
  private final val MostWaiting = 128 * 1024
  private final val MostPending = 128 * 1024

  private val closed = new PeerLost("the connection is closed")
  private val noMore = Async.fail(closed)
}
