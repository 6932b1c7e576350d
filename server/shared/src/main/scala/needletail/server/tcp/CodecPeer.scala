package needletail.server.tcp

import needletail.async.{Async, AsyncPromise}
import needletail.io.Connection
import needletail.io.loop.OtherThreads
import needletail.io.platform.Fallible
import needletail.server.connection.ConnectionFacts
import needletail.tcp.Codec

/**
 * A [[CodecConnection]] as its user's functions see it. It exists before the connection has its handler, so that a
 * server can send first: with TLS what it sends waits in the connection until the handshake is complete.
 */
private[server] final class CodecPeer[O](
    connection: Connection,
    codec: Codec[?, O],
    maxPendingOutput: Int
) extends ConnectionFacts(connection)
    with MessageConnection[O]
    with Runnable
    with Fallible {
  private var owner: CodecConnection[?, O]        = null
  private var isWoken                             = false
  private var observers: List[AsyncPromise[Unit]] = Nil
  private var isGone                              = false
  @volatile private var isEnding                  = false // nothing more is taken
  @volatile private var others: OtherThreads      = null  // null: none has asked for anything

  /** Whether its user has asked for its end. */
  var isToClose: Boolean = false

  def send(message: O): Boolean = hasRoom && {
    val bytes = codec.encode(message)
    if (connection.loop.inLoop)
      connection.isOpen && {
        write(bytes)
        connection.isOpen
      }
    else elsewhere.send(bytes.length)(() => write(bytes))
  }

  private def hasRoom: Boolean =
    !isEnding &&
      connection.pendingBytes + (if (others == null) 0 else others.bytes) <= maxPendingOutput

  private def write(bytes: Array[Byte]): Unit = if (!isEnding) {
    connection.writeOwned(bytes, 0, bytes.length)
    wake()
  }

  def close(): Unit = {
    def closeHere(): Unit = if (!isEnding) {
      isToClose = true
      wake()
    }
    if (connection.loop.inLoop) closeHere() else { elsewhere.run(() => closeHere()); () }
  }

  def closed: Async[Unit] =
    if (!connection.loop.inLoop)
      Async.fail(new IllegalStateException("closed must be called on the connection's loop"))
    else if (isGone) Async.unit
    else {
      val promise = new AsyncPromise[Unit]
      promise.onCancel(() => observers = observers.filterNot(_ eq promise))
      observers = promise :: observers
      promise
    }

  private def elsewhere: OtherThreads = synchronized {
    if (others == null) others = new OtherThreads(connection.loop)
    others
  }

  /** Has the connection look at the end of this turn: not at once, as it may be in the middle of a call. */
  private def wake(): Unit = if (!isWoken) {
    isWoken = true
    connection.loop.endOfTurn(this)
  }

  def run(): Unit = {
    isWoken = false
    if (owner != null && connection.isOpen) owner.pushed()
  }

  private[needletail] def failed(cause: Throwable): Unit = connection.abort()

  // used by the connection

  def belongsTo(connection: CodecConnection[?, O]): Unit = owner = connection

  /** Nothing more is sent. */
  def ends(): Unit = isEnding = true

  /** The connection is closed. */
  def ended(): Unit = {
    isEnding = true
    isGone = true
    val waiting = observers.reverse
    observers = Nil
    waiting.foreach(_.succeed(()))
  }
}
