package needletail.io

import java.io.IOException

import needletail.io.platform.{Interest, Socket}
import needletail.io.tls.HandshakeFailure

/**
 * The output side of a [[Connection]]: writes at once what the kernel takes, keeps the rest in order until it takes more,
 * sends parts of files, and ends the stream. Used on the connection's loop.
 */
private[io] final class ConnectionOutput(connection: Connection) {
  import ConnectionOutput.*

  private var pending: PendingOutput = null  // null while there is nothing
  private var unsent: FilePart       = null  // the kernel has not taken all that it was offered of it
  private var ending                 = false // the stream ends after what is pending
  private var ended                  = false // the end was sent
  private var total                  = 0L

  private def socket: Socket = connection.socket

  /** Bytes that the kernel has taken so far. */
  def bytesWritten: Long = total

  /** Whether something that was written waits until the kernel takes more. */
  def isPending: Boolean = pending ne null

  /** The same, or a part of a file. */
  def isBackedUp: Boolean = (pending ne null) || (unsent ne null)

  def pendingBytes: Int = {
    val now = pending // other threads ask, too, about how much it is
    if (now eq null) 0 else now.size
  }

  /** Whether the stream ends once nothing is pending. */
  def isEnding: Boolean = ending

  /** See `Connection.write`. With `mayKeep` the array is handed over. The connection must be open. */
  def write(bytes: Array[Byte], from: Int, count: Int, mayKeep: Boolean): Unit =
    if (!ending && count > 0) {
      if (unsent ne null)
        throw new IllegalStateException("bytes were written while a file was being sent")
      val done = if (pending eq null) writeNow(bytes, from, count) else 0
      if (done >= 0 && done < count) {
        if (pending eq null) pending = new PendingOutput(connection.loop.memory)
        pending.add(bytes, from + done, count - done, mayKeep)
        connection.want(socket.interest | Interest.Write)
      }
    }

  /** See `Connection.writeBoth`. The connection must be open. */
  def writeBoth(
      first: Array[Byte],
      firstCount: Int,
      bytes: Array[Byte],
      from: Int,
      count: Int,
      mayKeep: Boolean
  ): Unit =
    if (ending || isBackedUp) {
      write(first, 0, firstCount, mayKeep = false)
      write(bytes, from, count, mayKeep)
    } else {
      val done = writeNow(first, firstCount, bytes, from, count)
      if (done >= 0 && done - firstCount < count) { // their sum may be too large for an Int
        val more = math.max(0, done - firstCount)
        pending = new PendingOutput(connection.loop.memory)
        if (done < firstCount) pending.add(first, done, firstCount - done, mayKeep = false)
        pending.add(bytes, from + more, count - more, mayKeep)
        connection.want(socket.interest | Interest.Write)
      }
    }

  private def writeNow(bytes: Array[Byte], from: Int, count: Int): Int = writeNow(null, 0, bytes, from, count)

  /** One write. Returns bytes taken, or -1 if it failed and the connection is closed. `first` may be null. */
  private def writeNow(first: Array[Byte], firstCount: Int, bytes: Array[Byte], from: Int, count: Int): Int =
    try {
      val owed     = socket.owesOutput
      val isSecure = socket.isSecure
      val held     = isSecure && socket.holdsInput
      val n        =
        if (first eq null) socket.write(bytes, from, count)
        else socket.writeBoth(first, firstCount, bytes, from, count)
      total += n
      if (owed) connection.readAgain()
      if (isSecure && !held && socket.holdsInput) connection.holdsInput()
      n
    } catch {
      case e: IOException =>
        failed(e)
        -1
    }

  /** What a TLS peer has sent before is read by the handler, or else here. */
  private def failed(e: IOException): Unit =
    if (socket.isSecure && !((socket.session ne null) && connection.readsWhenBroken))
      connection.finish(told(e))
    else connection.writeFailed(e)

  /** Drops what is pending and all that follows: the connection is broken, but may be read. */
  def breakOff(): Unit = {
    ending = true
    ended = true
    close()
  }

  /** Why a write has failed: a TLS peer that resets the connection may have sent an alert before, which says more. */
  private def told(lost: IOException): IOException =
    try {
      socket.read(new Array[Byte](1), 0, 1)
      lost
    } catch { case why: IOException => if (HandshakeFailure.isAlert(why)) why else lost }

  /** See `Connection.send`. The connection must be open. */
  def send(part: FilePart, most: Int): Unit =
    if (!ending && !isBackedUp) {
      val count = math.min(part.left, most.toLong).toInt
      if (sendNow(part, count) < count && !part.isCut && !part.isRefused) {
        unsent = part
        connection.want(socket.interest | Interest.Write)
      }
    }

  private def sendNow(part: FilePart, count: Int): Int =
    try {
      val n = socket.send(part.file, part.position, count)
      part.sent(n)
      if (n > 0) total += n
      n
    } catch {
      case _: IOException =>
        part.refuse()
        -1
    }

  /** Tries to write whatever waits. Returns whether nothing that was written waits any more, or a part was sent on. */
  def offer(): Boolean =
    if (pending ne null) {
      flush()
      !connection.isClosed && (pending eq null)
    } else if (unsent ne null) {
      val part = unsent
      part.left > 0 && sendNow(part, math.min(part.left, FlushBudget.toLong).toInt) != 0
    } else false

  /** Writes what is pending, as much as the kernel takes. */
  @noinline def flush(): Unit = {
    var budget = FlushBudget
    while ((pending ne null) && budget > 0) {
      val count = pending.firstCount
      val n     = writeNow(pending.firstArray, pending.firstFrom, count)
      if (n >= 0) {
        pending.taken(n)
        if (pending.size == 0) pending = null
        budget = if (n < count) 0 else budget - n
      }
    }
  }

  /** Ends the stream once everything pending is written. */
  def end(): Unit =
    if (!ending) {
      ending = true
      if (pending eq null) sendEnd()
    }

  /** Ends the stream now, unless that was done before. */
  def sendEnd(): Unit =
    if (!ended) {
      ended = true
      try {
        socket.shutdownOutput()
        if (socket.owesOutput) connection.want(socket.interest)
      } catch { case e: IOException => failed(e) }
    }

  /** Writes the socket's own output, see `Socket.owesOutput`. */
  @noinline def sendOwed(): Unit =
    try {
      socket.sendOwed()
      connection.readAgain()
    } catch { case e: IOException => failed(e) }

  /** Forgets the part of a file, which is continued by its sender or not at all. */
  def dropPart(): Unit = unsent = null

  /** Releases everything when the connection is closed. */
  def close(): Unit = {
    if (pending ne null) pending.drop()
    pending = null
    unsent = null
  }
}

private[io] object ConnectionOutput {

  /** Bytes written per readiness event, so that a fast reader does not occupy the loop. */
  private final val FlushBudget = 1024 * 1024
}
