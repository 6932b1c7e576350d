package needletail.simulation.peer

import needletail.simulation.world.PeerConnection

/**
 * A deterministic client: sends what it is told to, and reads everything at once, or when told.
 *
 * @param end null if nothing listens there
 */
final class SimpleClient(end: PeerConnection, reads: Boolean = true)(
    read: (Array[Byte], Int) => Unit,
    ended: Boolean => Unit
) {
  private val scratch   = new Array[Byte](16384)
  private var isReading = reads
  private var left      = Array.emptyByteArray // what could not be sent yet

  /** Bytes sent that the server has read. */
  def taken: Long = if (end == null) 0 else end.takenByPeer

  /** Whether it has seen the end of its connection, or closed it. */
  var isOver: Boolean = end == null

  if (end != null) end.onChange = () => act()

  def send(bytes: Array[Byte]): Unit = {
    left ++= bytes
    act()
  }

  /** Starts reading. */
  def beginToRead(): Unit = {
    isReading = true
    act()
  }

  def close(): Unit = if (!isOver) {
    isOver = true
    end.close()
  }

  private def act(): Unit = if (!isOver) {
    if (!end.isReset && left.nonEmpty) left = left.drop(end.put(left, 0, left.length))
    if (isReading) {
      var n = end.take(scratch, 0, scratch.length)
      while (n > 0) {
        read(scratch, n)
        n = end.take(scratch, 0, scratch.length)
      }
      if (end.isReset || end.hasEnd) {
        ended(end.isReset)
        close()
      }
    }
  }
}
