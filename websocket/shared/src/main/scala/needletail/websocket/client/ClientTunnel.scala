package needletail.websocket.client

import java.io.IOException

import needletail.async.{Loop, Survivable}
import needletail.http.text.ByteWriter
import needletail.http.{Attachments, ConnectionInfo, Tunnel, TunnelHandler}
import needletail.io.platform.Fallible
import needletail.io.{Connection, ConnectionHandler}

/**
 * A client's connection: first the opening handshake, then the [[Tunnel]] of its WebSocket.
 *
 * @param handshake reads the response, and makes the handler; null while it is not complete. Throws IOException if the
 *   server refuses
 */
private[websocket] final class ClientTunnel(
    connection: Connection,
    part: PerLoopSockets,
    config: WebSocketClientConfig,
    handshake: ClientHandshake
) extends ConnectionHandler
    with Tunnel
    with Runnable
    with Fallible {
  private var handler: TunnelHandler = null
  private var isOver                 = false
  private var isWoken                = false
  private var inTurn                 = false
  private var isHurried              = false // the server has refused

  // When the server must have read some output, MaxValue if none is pending; and how far it had got then
  private var writeDueAt   = Long.MaxValue
  private var progressThen = 0L

  /** Sends the request. */
  def begin(): Unit = {
    val request = handshake.request
    connection.write(request, 0, request.length)
    connection.deadline = nowNanos + config.handshakeNanos
  }

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    val start = if (handler == null) shake(bytes, from, until) else from
    if (start < 0 || isOver) until
    else if (handler == null) start
    else turned(from)(handler.receive(bytes, start, until))
  }

  /** Continues the handshake. Returns what it has read up to, or -1 if it has failed. */
  private def shake(bytes: Array[Byte], from: Int, until: Int): Int =
    try {
      var at = from
      var n  = handshake.read(bytes, at, until)
      while (n > 0 && !handshake.isAnswered) {
        at += n
        n = if (at < until) handshake.read(bytes, at, until) else 0
      }
      if (handshake.isRefused) hurry()
      else if (n > 0) turned(())({ handler = handshake.accepted(this) })
      at + n
    } catch {
      case e: IOException =>
        lost(e)
        -1
    }

  /** What the server says about its refusal is not worth a long wait. */
  private def hurry(): Unit = if (!isHurried) {
    isHurried = true
    connection.deadline = Math.min(connection.deadline, nowNanos + ClientTunnel.RefusalNanos)
  }

  private def lost(e: Throwable): Unit = {
    isOver = true
    handshake.failed(e)
    connection.abort()
  }

  /** Runs a turn of the handler. */
  private def turned[A](failure: A)(body: => A): A = {
    part.writer.clear()
    inTurn = true
    try {
      val result = body
      flush()
      result
    } catch {
      case Survivable(e) =>
        part.writer.clear()
        abort()
        connection.loop.report("a WebSocket has been ended by an exception", e)
        failure
    } finally {
      inTurn = false
      settle()
    }
  }

  private def settle(): Unit = if (!isOver && connection.isOpen) {
    if (wantsInput && connection.pendingBytes <= maxPendingOutput) {
      if (connection.isPaused) connection.resumeReading()
    } else if (!connection.isPaused) connection.pauseReading()
    connection.deadline = Math.min(deadline, writingDueAt())
  } else if (connection.pendingBytes > 0) connection.deadline = writingDueAt()

  private def writingDueAt(): Long = {
    if (connection.pendingBytes == 0) writeDueAt = Long.MaxValue
    else if (writeDueAt == Long.MaxValue) {
      writeDueAt = nowNanos + config.writeNanos
      progressThen = connection.outputProgress
    }
    writeDueAt
  }

  def onEnd(): Unit =
    if (handler == null)
      lost(
        new IOException(s"${handshake.url}: the server ended the connection before its answer was complete")
      )
    else turned(())(handler.peerEnded())

  def onDrained(): Unit = if (handler != null) turned(())(handler.outputTaken())

  def onDeadline(): Unit = {
    if (connection.pendingBytes > 0 && nowNanos >= writeDueAt) {
      connection.offerPending() // the kernel reports room in its buffer only long after a slow reader has freed it
      if (connection.outputProgress != progressThen) writeDueAt = Long.MaxValue
      else if (connection.pendingBytes > 0) connection.abort()
    }
    if (connection.isOpen)
      if (handler == null) lost(new IOException(s"${handshake.url}: the server did not answer in time"))
      else if (deadline <= nowNanos) {
        deadline = Long.MaxValue
        turned(())(handler.deadlinePassed())
      } else settle()
    else settle() // it is being closed: the server still has to read what is pending in time
  }

  def onClosed(cause: Throwable): Unit =
    if (handler != null) handler.closed()
    else handshake.failed(if (cause == null) new IOException(s"${handshake.url}: the connection was closed")
    else cause)

  def run(): Unit = {
    isWoken = false
    if (connection.isOpen && !isOver && handler != null) turned(())(handler.turn())
  }

  private[needletail] def failed(cause: Throwable): Unit = connection.abort()

  // Tunnel

  var wantsInput: Boolean = true
  var deadline: Long      = Long.MaxValue

  val info: ConnectionInfo = new Attachments {
    def remoteAddress: String = connection.remoteAddress
    def localAddress: String  = connection.localAddress
    def isSecure: Boolean     = connection.isSecure
  }

  def loop: Loop            = connection.loop
  def nowNanos: Long        = connection.loop.nowNanos
  def writer: ByteWriter    = if (inTurn) part.writer else null
  def pendingOutput: Int    = connection.pendingBytes
  def maxPendingOutput: Int = config.maxUnsent

  def outputProgress: Long = {
    connection.offerPending()
    connection.outputProgress
  }

  def flush(): Unit = {
    val w = part.writer
    if (w.length > 0) {
      if (!isOver) connection.write(w.bytes, 0, w.length)
      w.clear()
    }
  }

  def writeOwned(bytes: Array[Byte], from: Int, count: Int): Unit = if (!isOver) {
    if (inTurn) flush()
    connection.writeOwned(bytes, from, count)
  }

  def wake(): Unit = if (!isWoken && connection.isOpen) {
    isWoken = true
    connection.loop.endOfTurn(this)
  }

  def hold(more: Int, already: Long): Boolean = connection.loop.memory.take(more.toLong, already)
  def release(bytes: Long): Unit              = connection.loop.memory.give(bytes)

  def finish(): Unit = if (!isOver) {
    if (inTurn) flush()
    isOver = true
    connection.closeGracefully(config.webSocket.closeNanos, ClientTunnel.MaxDiscard)
  }

  def abort(): Unit = {
    isOver = true
    connection.abort()
  }

  def failed(what: String, cause: Throwable): Unit = connection.loop.report(what, cause)
}

private[websocket] object ClientTunnel {
  private final val MaxDiscard = 16 * 1024 * 1024

  /** How long the body of a refusal may take. */
  private final val RefusalNanos = 1000L * 1000 * 1000
}
