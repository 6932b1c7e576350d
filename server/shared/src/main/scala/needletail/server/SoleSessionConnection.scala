package needletail.server

import needletail.io.{Connection, Fallible}

/** A connection that has one session at most, which writes to it as it is: the [[Wire]] of that session. */
private[needletail] abstract class SoleSessionConnection(connection: Connection, context: LoopContext)
    extends SessionConnection(connection, context)
    with Wire
    with Runnable
    with Fallible {
  private var woken: Boolean = false

  /** Something changed in this turn of the loop: the session goes on. */
  protected def turn(): Unit

  final def nowNanos: Long     = connection.loop.nowNanos
  final def pendingOutput: Int = connection.pendingBytes

  final def write(bytes: Array[Byte], from: Int, count: Int): Unit      = connection.write(bytes, from, count)
  final def writeOwned(bytes: Array[Byte], from: Int, count: Int): Unit =
    connection.writeOwned(bytes, from, count)

  /** Is there no memory for that much of what has come, beyond what is kept already? */
  protected final def mustNotKeep(bytes: Int): Boolean = {
    val already = connection.unusedBytes
    bytes > already && connection.isOpen && !context.memory.hasRoom((bytes - already).toLong, already.toLong)
  }

  final def wake(): Unit = if (!woken && connection.isOpen) {
    woken = true
    connection.loop.endOfTurn(this)
  }

  /** The end of a turn in which something changed. */
  final def run(): Unit = {
    woken = false
    if (connection.isOpen) turn()
  }

  private[needletail] final def failed(cause: Throwable): Unit = connection.abort()

  final override def probeWhenSilent(idleSeconds: Int): Unit = connection.probeWhenSilent(idleSeconds)

  final def finish(): Unit =
    connection.closeGracefully(context.lingerNanos, SessionConnection.MaxDiscard)
  final def abort(): Unit = connection.abort()
}
