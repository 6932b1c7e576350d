package needletail.gateway.host

import needletail.async.{Async, Promise}
import needletail.http.ByteStream
import needletail.io.{Connection, ConnectionHandler}

/** A request to an SCGI server, which has a connection of its own; the answer ends with it. */
private[host] final class ScgiExchange(connection: Connection, gone: () => Unit)
    extends Backend
    with ConnectionHandler {
  private val inbox               = new Inbox(ScgiExchange.MostWaiting, () => connection.resumeReading())
  private var room: Promise[Unit] = null

  def write(bytes: Array[Byte]): Async[Unit] = {
    connection.writeOwned(bytes, 0, bytes.length)
    if (!connection.isOpen) ScgiExchange.noMore
    else if (connection.pendingBytes <= ScgiExchange.MostPending) Async.unit
    else {
      room = new Promise[Unit]
      room
    }
  }

  /** Its length was announced; a half-close would be taken for a client that has gone by some. */
  def endInput(): Unit = ()

  val output: ByteStream = inbox.stream

  def stop(): Unit = {
    inbox.drop()
    connection.close()
  }

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    inbox.add(java.util.Arrays.copyOfRange(bytes, from, until))
    if (inbox.isFull) connection.pauseReading()
    until
  }

  def onEnd(): Unit = {
    inbox.end(null)
    connection.close()
  }

  def onDrained(): Unit = if (room != null) {
    val promise = room
    room = null
    promise.succeed(())
    ()
  }

  def onDeadline(): Unit = ()

  def onClosed(cause: Throwable): Unit = {
    val why = new PeerLost(
      s"the connection was lost before its answer was complete${if (cause == null) ""
        else ": " + cause.getMessage}"
    )
    inbox.end(why)
    if (room != null) { room.fail(why); () }
    gone()
  }
}

private object ScgiExchange {
  private final val MostWaiting = 128 * 1024
  private final val MostPending = 128 * 1024

  private val noMore = Async.fail(new PeerLost("the connection is closed"))
}
