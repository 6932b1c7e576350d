package needletail.server.connection

import needletail.io.Connection
import needletail.io.platform.Fallible
import needletail.server.exchange.{ServerLoopContext, SessionOutput}

/** A connection with at most one session, whose output it is: what the session writes is sent unchanged. */
private[needletail] abstract class SingleSessionConnection(connection: Connection, context: ServerLoopContext)
    extends SessionConnection(connection, context)
    with SessionOutput
    with Runnable
    with Fallible {
  private var woken: Boolean = false

  /** Runs the turn that the session has requested. */
  protected def turn(): Unit

  final def nowNanos: Long     = connection.loop.nowNanos
  final def pendingOutput: Int = connection.pendingBytes

  final override def takenOutput: Long = connection.bytesWritten
  final override def heldInput: Int    = connection.unusedBytes

  final def write(bytes: Array[Byte], from: Int, count: Int): Unit      = connection.write(bytes, from, count)
  final def writeOwned(bytes: Array[Byte], from: Int, count: Int): Unit =
    connection.writeOwned(bytes, from, count)

  final override def writeBoth(
      first: Array[Byte],
      firstCount: Int,
      bytes: Array[Byte],
      from: Int,
      count: Int,
      mayKeep: Boolean
  ): Unit = connection.writeBoth(first, firstCount, bytes, from, count, mayKeep)

  /**
   * Whether there is no memory to keep this many bytes that the session has not used. Those kept already are included.
   */
  protected final def mustNotKeep(bytes: Int): Boolean = {
    val already = connection.unusedBytes
    bytes > already && connection.isOpen && !context.memory.hasRoom((bytes - already).toLong, already.toLong)
  }

  final def wake(): Unit = if (!woken && connection.isOpen) {
    woken = true
    connection.loop.endOfTurn(this)
  }

  /** Runs at the end of a turn of the loop in which the session has requested a turn. */
  final def run(): Unit = {
    woken = false
    if (connection.isOpen) turn()
  }

  private[needletail] final def failed(cause: Throwable): Unit = connection.abort()

  /** Resuming, which follows as soon as the session wants input, passes on what was left. */
  final override def offerAgain(): Unit = connection.pauseReading()

  final override def probeWhenSilent(idleSeconds: Int): Unit = connection.probeWhenSilent(idleSeconds)

  private[needletail] final override def refusalNanos: Long = context.lingerNanos

  final def finish(): Unit =
    connection.closeGracefully(context.lingerNanos, SessionConnection.MaxDiscard)
  def abort(): Unit = connection.abort()
}
