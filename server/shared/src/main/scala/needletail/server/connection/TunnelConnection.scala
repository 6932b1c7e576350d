package needletail.server.connection

import needletail.async.{Loop, Survivable}
import needletail.http.{ConnectionInfo, Tunnel, TunnelHandler, Upgrade}
import needletail.http.text.ByteWriter
import needletail.io.Connection
import needletail.io.platform.Fallible
import needletail.server.exchange.{LentWriter, ServerLoopContext}

/**
 * A connection of HTTP/1.1 that another protocol has taken over: calls its handler, and is the handler's [[Tunnel]].
 * The handler is made in the first turn, after the response to the request has been written.
 */
private[server] final class TunnelConnection(
    connection: Connection,
    context: ServerLoopContext,
    val info: ConnectionInfo,
    private var protocol: Upgrade.Accepted // null once there is a handler
) extends WatchedConnection(connection, context.writeNanos, context.counts)
    with Tunnel
    with LentWriter.Turn
    with Runnable
    with Fallible {
  import TunnelConnection._

  private var handler: TunnelHandler = null
  private var isOver                 = false // finished or aborted by the handler
  private var isDraining             = false
  private var isWoken                = false

  // the current turn: what it is about, and the bytes that have arrived
  private var task: Int          = None
  private var input: Array[Byte] = null
  private var from               = 0
  private var until              = 0

  context.counts.upgrades += 1
  context.counts.upgraded += 1
  if (!connection.isPaused) connection.pauseReading()
  wake()

  // turns

  private def turn(what: Int): Unit = {
    task = what
    context.lent.lend(this)
    settle()
  }

  def work(): Unit = {
    if (task == Open) {
      handler = protocol.open(this)
      connection.usesAlong(handler)
      protocol = null
      if (isDraining) handler.drain()
    } else
      task match {
        case Receive     => from = handler.receive(input, from, until)
        case Woken       => handler.turn()
        case OutputTaken => handler.outputTaken()
        case PeerEnded   => handler.peerEnded()
        case Deadline    => handler.deadlinePassed()
        case Drain       => handler.drain()
        case Relieve     => handler.relieve()
        case _           => handler.inputDropped()
      }
    flush()
    task = None
  }

  def aborted(cause: Throwable): Unit = {
    task = None
    isOver = true
    connection.abort()
    if (!Survivable(cause)) throw cause
    context.counts.failures += 1
    context.log.error(s"a connection from ${info.remoteAddress} was closed because of an exception", cause)
  }

  /** After each turn: decides whether to continue reading, and when to call the handler next. */
  private def settle(): Unit = if (isOver || !connection.isOpen) watchFlushing()
  else {
    // not before there is a handler: a former deadline may pass until then
    if (handler != null && wantsInput && connection.pendingBytes <= maxPendingOutput) {
      if (connection.isPaused) connection.resumeReading()
    } else if (!connection.isPaused) connection.pauseReading()
    connection.deadline = Math.min(deadline, writingDeadline())
  }

  /** Whether most of it waits for a listener that rests: what it has not asked for, or what its peer cannot send on. */
  private[needletail] override def holdsUnread: Boolean =
    connection.isPaused && connection.pendingBytes == 0 ||
      handler != null && handler.heldAhead > heldForPeer / 2

  // notifications from the connection

  def onData(bytes: Array[Byte], from: Int, until: Int): Int =
    if (handler == null) { // it takes them once it is there
      connection.pauseReading()
      from
    } else received(bytes, from, until)

  private def received(bytes: Array[Byte], from: Int, until: Int): Int = {
    input = bytes
    this.from = from
    this.until = until
    turn(Receive)
    input = null
    val left = until - this.from
    if (left > connection.unusedBytes && connection.isOpen && !isOver && !mayKeep(left)) {
      turn(InputDropped)
      until
    } else this.from
  }

  private def mayKeep(bytes: Int): Boolean = {
    val already = connection.unusedBytes
    context.memory.hasRoom((bytes - already).toLong, already.toLong)
  }

  def onEnd(): Unit     = if (handler == null) connection.abort() else turn(PeerEnded)
  def onDrained(): Unit = if (handler == null) wake() else turn(OutputTaken)

  def onDeadline(): Unit = {
    abortIfStuck()
    if (connection.isOpen && handler != null && !isOver && deadline <= nowNanos) {
      deadline = Long.MaxValue
      turn(Deadline)
    } else settle()
  }

  /** Runs at the end of the turn of the loop in which a turn was requested. */
  def run(): Unit = {
    isWoken = false
    if (connection.isOpen && !isOver) turn(if (handler == null) Open else Woken)
  }

  private[needletail] def failed(cause: Throwable): Unit = connection.abort()

  protected def closed(cause: Throwable): Unit = {
    context.counts.upgraded -= 1
    if (handler != null) handler.closed()
  }

  // requests from the server

  def idleTimeoutChanged(nanos: Long): Unit = ()

  def drain(): Unit = {
    isDraining = true
    if (handler != null && connection.isOpen && !isOver) turn(Drain)
  }

  private[needletail] override def heldForPeer: Long =
    super.heldForPeer + (if (handler == null) 0 else handler.held)

  private[needletail] override def relieve(): Unit =
    if (handler == null || isOver || isMostlyPending || isMostlyUndecrypted) connection.abort()
    else turn(if (handler.held > 0) Relieve else InputDropped) // otherwise all that is held is unused input

  /** Whether most of what is held is output, which is held until the peer reads it. */
  private def isMostlyPending: Boolean = connection.pendingBytes > handler.held + connection.unusedBytes

  /** Whether most of what is held is a part of a TLS record, which is held until the connection is closed. */
  private def isMostlyUndecrypted: Boolean =
    connection.undecryptedBytes > handler.held + connection.unusedBytes

  // Tunnel

  var wantsInput: Boolean = true
  var deadline: Long      = Long.MaxValue

  def loop: Loop            = connection.loop
  def nowNanos: Long        = connection.loop.nowNanos
  def writer: ByteWriter    = if (task == None) null else context.writer
  def pendingOutput: Int    = connection.pendingBytes
  def maxPendingOutput: Int = context.maxPendingOutput

  def outputProgress: Long = {
    connection.offerPending()
    connection.outputProgress
  }

  def flush(): Unit = {
    val w = context.writer
    if (w.length > 0) {
      if (!isOver) connection.write(w.bytes, 0, w.length)
      w.clear()
    }
  }

  def writeOwned(bytes: Array[Byte], from: Int, count: Int): Unit = if (!isOver) {
    if (task != None) flush()
    connection.writeOwned(bytes, from, count)
  }

  def wake(): Unit = if (!isWoken && connection.isOpen) {
    isWoken = true
    connection.loop.endOfTurn(this)
  }

  def hold(more: Int, already: Long): Boolean = context.memory.take(more.toLong, already)
  def release(bytes: Long): Unit              = context.memory.give(bytes)

  def finish(): Unit = if (!isOver) {
    if (task != None) flush()
    isOver = true
    connection.closeGracefully(context.lingerNanos, SessionConnection.MaxDiscard)
  }

  def abort(): Unit = {
    isOver = true
    connection.abort()
  }

  def failed(what: String, cause: Throwable): Unit = {
    context.counts.failures += 1
    context.log.error(what, cause)
  }
}

private[server] object TunnelConnection {

  // what a turn is about
  private final val None         = 0
  private final val Open         = 1
  private final val Receive      = 2
  private final val Woken        = 3
  private final val OutputTaken  = 4
  private final val PeerEnded    = 5
  private final val Deadline     = 6
  private final val Drain        = 7
  private final val Relieve      = 8
  private final val InputDropped = 9
}
