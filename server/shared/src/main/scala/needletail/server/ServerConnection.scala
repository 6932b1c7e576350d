package needletail.server

import needletail.http.{Attachments, ConnectionInfo, Handler}
import needletail.io.Connection

/** One HTTP connection: the [[Wire]] of its session, and the one who calls it. */
private[server] final class ServerConnection(connection: Connection, handler: Handler, context: LoopContext)
    extends SessionConnection(connection, context)
    with Wire
    with Runnable {
  private var facts: ConnectionFacts = null
  private var woken: Boolean         = false

  private val session = new ServerSession(this, handler, context)
  settle()

  // what the connection tells

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    val used = session.receive(bytes, from, until)
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

  def onDeadline(): Unit = {
    abortIfStuck()
    session.deadlinePassed()
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
  private def settle(): Unit = if (connection.isOpen && !session.isFinished) {
    if (session.wantsInput) {
      if (connection.isPaused) connection.resumeReading()
    } else if (!connection.isPaused) connection.pauseReading()
    connection.deadline = Math.min(session.deadline, writingDeadline())
  }

  // Wire

  def nowNanos: Long     = connection.loop.nowNanos
  def pendingOutput: Int = connection.pendingBytes

  def info: ConnectionInfo = {
    if (facts == null) facts = new ConnectionFacts(connection)
    facts
  }

  def write(bytes: Array[Byte], from: Int, count: Int): Unit      = connection.write(bytes, from, count)
  def writeOwned(bytes: Array[Byte], from: Int, count: Int): Unit = connection.writeOwned(bytes, from, count)

  def wake(): Unit = if (!woken && connection.isOpen) {
    woken = true
    connection.loop.endOfTurn(this)
  }

  /** The end of a turn in which something changed. */
  def run(): Unit = {
    woken = false
    if (connection.isOpen) {
      session.proceed()
      settle()
    }
  }

  def finish(): Unit =
    connection.closeGracefully(context.config.lingerTimeout.toNanos, SessionConnection.MaxDiscard)
  def abort(): Unit = connection.abort()
}

/** What handlers may know of a connection; made for the first request that is served on it. */
private[needletail] final class ConnectionFacts(connection: Connection) extends Attachments {
  def remoteAddress: String = connection.remoteAddress
  def localAddress: String  = connection.localAddress
  def isSecure: Boolean     = false
}
