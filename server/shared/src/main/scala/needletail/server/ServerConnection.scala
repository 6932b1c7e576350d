package needletail.server

import needletail.async.Async
import needletail.http.{Attachments, ConnectionInfo, Handler}
import needletail.io.Connection

/** One HTTP connection: the [[Wire]] of its session, and the one who calls it. */
private[server] final class ServerConnection(connection: Connection, handler: Handler, context: LoopContext)
    extends SoleSessionConnection(connection, context) {
  private var facts: ConnectionFacts = null

  private val session = new ServerSession(this, handler, context)
  settle()

  // what the connection tells

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    var used = session.receive(bytes, from, until)
    if (used < until && mustNotKeep(until - used)) {
      session.relieve()
      used = until
    }
    settle()
    used
  }

  def onEnd(): Unit = {
    session.peerEnded()
    settle()
  }

  def onDrained(): Unit = {
    session.proceed()
    settle()
  }

  protected def turn(): Unit = onDrained()

  def onDeadline(): Unit = {
    abortIfStuck()
    session.deadlinePassed()
    settle()
  }

  private[needletail] override def heldForPeer: Long =
    if (connection.pendingBytes > 0 || session.awaitsClient) super.heldForPeer + session.heldForClient
    else if (session.isIdle) connection.undecryptedBytes.toLong
    else 0

  private[needletail] override def relieve(): Unit = if (connection.pendingBytes > 0) connection.abort()
  else {
    session.relieve()
    settle()
  }

  protected def closed(cause: Throwable): Unit = session.peerGone()

  // what the server asks

  def idleTimeoutChanged(nanos: Long): Unit = {
    session.idleTimeoutChanged()
    settle()
  }

  def drain(): Unit = {
    session.drain()
    settle()
  }

  /** After every entry: whether to read on, and until when. */
  private def settle(): Unit = if (!connection.isOpen || session.isFinished) watchFlushing()
  else {
    if (session.wantsInput) {
      if (connection.isPaused) connection.resumeReading()
    } else if (!connection.isPaused) connection.pauseReading()
    connection.deadline = Math.min(session.deadline, writingDeadline())
  }

  // Wire

  override def keepInput(bytes: Array[Byte]): Boolean = {
    connection.keepInput(bytes)
    true
  }

  def info: ConnectionInfo = {
    if (facts == null) facts = new ConnectionFacts(connection)
    facts
  }
}

/** What handlers may know of a connection; made for the first request that is served on it. */
private[needletail] final class ConnectionFacts(connection: Connection) extends Attachments {
  def remoteAddress: String = connection.remoteAddress
  def localAddress: String  = connection.localAddress
  def isSecure: Boolean     = connection.isSecure

  override def draining: Async[Unit] = connection.loop.drainBegins
}
