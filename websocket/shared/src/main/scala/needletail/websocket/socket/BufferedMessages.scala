package needletail.websocket.socket

import java.util.ArrayDeque

import needletail.websocket.frame.FrameReader

/** Messages that arrived while the listener was paused, in order; their memory is counted. */
private[socket] final class BufferedMessages(memory: FrameReader.Memory) {
  import BufferedMessages._

  private val messages = new ArrayDeque[Message]

  /** Bytes held. */
  var held: Int = 0

  def isEmpty: Boolean = messages.isEmpty

  /** Whether no more should be read. */
  def isFull: Boolean = held >= Most

  /** Returns false if there is no memory for it. */
  def add(message: Message): Boolean = memory.hold(cost(message), held.toLong) && {
    held += cost(message)
    messages.add(message)
  }

  def take(): Message = {
    val message = messages.poll()
    held -= cost(message)
    memory.release(cost(message))
    message
  }

  def drop(): Unit = {
    messages.clear()
    memory.release(held)
    held = 0
  }

  private def cost(message: Message): Int = message.bytes.length + Overhead
}

private object BufferedMessages {
  private final val Most     = 64 * 1024
  private final val Overhead = 64 // of the objects of a message
}
