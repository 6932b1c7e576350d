package needletail.server.connection

import needletail.http.{ConnectionInfo, Upgrade}
import needletail.io.{Connection, FilePart}
import needletail.server.exchange.RequestRunner
import needletail.server.session.{ServerSession, SessionMemory}

/** One HTTP/1.1 connection: calls its session, and is the session's [[SessionOutput]]. */
private[server] final class ServerConnection(connection: Connection, runner: RequestRunner)
    extends SingleSessionConnection(connection, runner.context) {
  private val session = new ServerSession(this, runner)
  settle()

  // notifications from the connection

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    var used = session.receive(bytes, from, until)
    if (used < until && mustNotKeep(until - used)) {
      if (connection.handler eq this) session.relieve()
      else connection.abort() // another protocol's bytes are lost
      used = until
    }
    settle(hasUnused = used < until)
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

  private[needletail] override def heldForPeer: Long = {
    val memory = session.memory
    inputFor(memory) + memory.waitingReplies + heldUntilClosed
  }

  /** Input, used or not, whose loss costs no handler that is at work. */
  private def inputFor(of: SessionMemory): Long =
    if (of.awaitsClient || of.holdsUnread) connection.unusedBytes + of.heldForClient else 0

  /** What is held until the connection is closed; what TLS holds of a record only if no handler would be lost with it. */
  private def heldUntilClosed: Long =
    connection.pendingBytes.toLong + (if (session.memory.isAtWork) 0 else connection.undecryptedBytes)

  /** What waits behind a reply: requests, or the replies to them. */
  private[needletail] override def holdsUnread: Boolean = {
    val memory = session.memory
    val ahead  = memory.waitingReplies + (if (memory.holdsUnread) connection.unusedBytes else 0)
    ahead > connection.pendingBytes
  }

  private[needletail] override def sendsAhead: Boolean = !session.memory.readsContent

  private[needletail] override def relieve(): Unit = {
    val memory = session.memory
    val input  = inputFor(memory)
    if (input + memory.waitingReplies < heldUntilClosed) connection.abort()
    else {
      memory.refuseWaiting()
      if (input > 0) {
        session.relieve()
        connection.dropUnused()
      }
      settle()
    }
  }

  protected def closed(cause: Throwable): Unit = session.peerGone()

  // requests from the server

  def idleTimeoutChanged(nanos: Long): Unit = {
    session.idleTimeoutChanged()
    settle()
  }

  def drain(): Unit = {
    session.drain()
    settle()
  }

  private def settle(): Unit = settle(hasUnused = connection.unusedBytes > 0)

  /** After each call of the session: decides whether to continue reading, and when to call it next. */
  private def settle(hasUnused: Boolean): Unit = if (!connection.isOpen || session.isFinished) watchFlushing()
  else {
    val wants = session.wantsInput
    if (wants || session.watchesForEnd(hasUnused)) {
      connection.readLittle(!wants)
      if (connection.isPaused) connection.resumeReading()
    } else if (!connection.isPaused) connection.pauseReading()
    connection.deadline = Math.min(session.deadline, writingDeadline())
  }

  // SessionOutput

  override def keepInput(bytes: Array[Byte]): Boolean = {
    connection.keepInput(bytes)
    true
  }

  override def expectInput(n: Int): Unit = connection.expectInput(n)

  override def isBackedUp: Boolean = connection.isBackedUp

  override def handshakeProceeds(): Boolean = connection.handshakeProceeds()

  override def sendsFiles: Boolean = connection.sendsFiles

  override def send(part: FilePart, most: Int): Unit = connection.send(part, most)

  def info: ConnectionInfo = new ConnectionFacts(connection)

  override def canSwitch: Boolean = true

  override def switchTo(protocol: Upgrade.Accepted, info: ConnectionInfo): Unit = {
    connection.readLittle(false)
    val next = new TunnelConnection(connection, runner.context, info, protocol)
    if (home != null) home.replace(this, next)
    connection.handler = next
  }
}
