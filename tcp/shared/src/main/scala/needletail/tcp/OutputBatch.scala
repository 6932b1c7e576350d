package needletail.tcp

import java.util.ArrayDeque

import needletail.io.Connection

/**
 * The output of one turn on a connection, written by one system call. A request gets its place in the output when it is
 * written, so that another can be taken back before.
 */
private[tcp] final class OutputBatch(connection: Connection) {
  import OutputBatch.*

  private val added              = new ArrayDeque[Exchange[?, ?]] // and not yet passed on; some were removed
  private var addedBytes         = 0                              // of the others
  private var bytes: Array[Byte] = null
  private var count              = 0
  private var passedOn           = 0L
  private var isHeld             = false

  /** Bytes added and not yet written. */
  def size: Int = addedBytes

  /** Writes nothing before `release`, also not by `flush`. */
  def hold(): Unit = isHeld = true

  def release(): Unit = isHeld = false

  /** Adds a request, as encoded; takes over the array. */
  def add(x: Exchange[?, ?], message: Array[Byte]): Unit = {
    x.encoded = message
    x.sentFrom = Exchange.Unsent // it may have been on another connection
    added.addLast(x)
    addedBytes += message.length
    if (addedBytes >= Most) flush()
  }

  /** Removes a request. Returns false if it is written already. */
  def remove(x: Exchange[?, ?]): Boolean = x.encoded != null && {
    addedBytes -= x.encoded.length
    x.encoded = null
    true
  }

  /** Writes what was added. */
  def flush(): Unit = if (!isHeld && !added.isEmpty) {
    while (!added.isEmpty) {
      val x = added.removeFirst()
      if (x.encoded != null) passOn(x)
    }
    addedBytes = 0
    write()
  }

  private def passOn(x: Exchange[?, ?]): Unit = {
    val message = x.encoded
    x.encoded = null
    x.sentFrom = passedOn
    passedOn += message.length
    if (message.length >= Large) {
      write()
      connection.writeOwned(message, 0, message.length)
    } else {
      val size = count + message.length
      if (bytes == null) bytes = new Array[Byte](math.max(First, size))
      else if (size > bytes.length) bytes = java.util.Arrays.copyOf(bytes, math.max(size, 2 * bytes.length))
      System.arraycopy(message, 0, bytes, count, message.length)
      count = size
      if (count >= Most) write()
    }
  }

  private def write(): Unit = if (count > 0) {
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
