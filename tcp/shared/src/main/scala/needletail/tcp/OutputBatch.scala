package needletail.tcp

import java.util.ArrayDeque

import needletail.io.Connection

/** The output of one turn on a connection, written by one system call. */
private[tcp] final class OutputBatch(connection: Connection) {
  import OutputBatch.*

  private var bytes: Array[Byte] = null
  private var count              = 0
  private val held               = new ArrayDeque[Array[Byte]]
  private var heldBytes          = 0
  private var isHeld             = false

  /** Bytes added and not yet written. */
  def size: Int = count + heldBytes

  /** Writes nothing before `release`, also not by `flush`. */
  def hold(): Unit = isHeld = true

  /** Adds what was held. */
  def release(): Unit = if (isHeld) {
    isHeld = false
    heldBytes = 0
    while (!held.isEmpty) add(held.removeFirst())
  }

  /** Adds a message; takes over the array. */
  def add(message: Array[Byte]): Unit =
    if (isHeld) {
      held.addLast(message)
      heldBytes += message.length
    } else if (message.length >= Large) {
      flush()
      connection.writeOwned(message, 0, message.length)
    } else {
      val size = count + message.length
      if (bytes == null) bytes = new Array[Byte](math.max(First, size))
      else if (size > bytes.length) bytes = java.util.Arrays.copyOf(bytes, math.max(size, 2 * bytes.length))
      System.arraycopy(message, 0, bytes, count, message.length)
      count = size
      if (count >= Most) flush()
    }

  /** Whether the message that begins `fromEnd` bytes before the end of all messages added is not written yet. */
  def has(fromEnd: Long): Boolean = fromEnd > 0 && fromEnd <= size

  /** Removes that message, of `length` bytes. Returns false if it is written already. */
  def remove(fromEnd: Long, length: Int): Boolean = has(fromEnd) && {
    if (fromEnd > heldBytes) {
      val at = count - (fromEnd - heldBytes).toInt
      System.arraycopy(bytes, at + length, bytes, at, count - at - length)
      count -= length
    } else removeHeld(heldBytes - fromEnd, length)
    true
  }

  private def removeHeld(from: Long, length: Int): Unit = {
    val all     = held.iterator
    var at      = 0L
    var message = all.next()
    while (at < from || message.length != length) {
      at += message.length
      message = all.next()
    }
    all.remove()
    heldBytes -= length
  }

  /** Writes the added bytes. */
  def flush(): Unit = if (count > 0) {
    val written = count
    count = 0
    connection.write(bytes, 0, written)
  }
}

private[tcp] object OutputBatch {
  private final val First = 1024
  private final val Large = 8 * 1024 // such a message is not copied
  private final val Most  = 64 * 1024
}
