package needletail.websocket.socket

import scala.collection.mutable.ArrayBuffer

import needletail.http.Tunnel
import needletail.http.text.ByteWriter
import needletail.websocket.frame.FrameWriter

/**
 * Writes frames to a tunnel, in order.
 *
 * @param maxPending see `hasRoom`
 */
private[socket] final class FrameOutput(tunnel: Tunnel, role: Role, maxPending: Int) {
  import FrameOutput._

  /** Frames sent outside of a turn, which wait for the next one; null if there are none. */
  private var waiting: WaitingFrames = null

  def isWaiting: Boolean = waiting != null

  /**
   * How many bytes may be written at least before more than `maxPending` wait; negative if that is not known. It saves
   * counting them for each message: only what is written here adds to them.
   */
  private var room = -1

  /** Whether no more than `maxPending` bytes wait; false if they have to be counted. On the loop. */
  def hasRoom: Boolean = room >= 0

  /** They have been counted: `pending` bytes wait. On the loop. */
  def counted(pending: Int): Unit = room = maxPending - pending

  /** Bytes that the kernel has not taken; about so many, on another thread than the loop's. */
  def pendingBytes: Int = {
    val w     = tunnel.writer
    val later = waiting
    tunnel.pendingOutput + (if (w == null) 0 else w.length) + (if (later == null) 0 else later.bytes)
  }

  /** Writes a frame now if this is a turn, otherwise in the next one, in order. */
  def write(first: Int, payload: Array[Byte]): Unit = {
    val w = tunnel.writer
    written(payload.length)
    if (w == null) {
      if (waiting == null) waiting = new WaitingFrames
      waiting.add(first, payload)
      tunnel.wake()
    } else {
      if (waiting != null) writeWaiting()
      writeNow(w, first, payload)
    }
  }

  /** Sends a whole frame, which must never change; in order only if nothing waits. At any time. */
  def writeFrame(frame: Array[Byte]): Unit = {
    written(frame.length)
    tunnel.writeOwned(frame, 0, frame.length)
  }

  private def written(bytes: Int): Unit = room = if (room > bytes) room - bytes - FrameWriter.MaxHead else -1

  /** Passes all frames on, as far as the kernel takes them now. In a turn. */
  def flush(): Unit = {
    writeWaiting()
    tunnel.flush()
  }

  /** In a turn. */
  def writeWaiting(): Unit = {
    val frames = waiting
    waiting = null
    if (frames != null) frames.foreach((first, payload) => writeNow(tunnel.writer, first, payload))
  }

  private def writeNow(w: ByteWriter, first: Int, payload: Array[Byte]): Unit = {
    if (!role.isServer) writeMasked(w, first, payload)
    else {
      FrameWriter.head(w, first, payload.length)
      if (payload.length <= CopyLimit) w.write(payload)
      else tunnel.writeOwned(payload, 0, payload.length)
    }
    if (w.length > FlushLimit) tunnel.flush()
  }

  private def writeMasked(w: ByteWriter, first: Int, payload: Array[Byte]): Unit = {
    val key = role.maskKey()
    FrameWriter.maskedHead(w, first, payload.length, key)
    if (payload.length <= CopyLimit) FrameWriter.masked(w, payload, key)
    else {
      val copy = FrameWriter.masked(payload, key)
      tunnel.writeOwned(copy, 0, copy.length)
    }
  }
}

private object FrameOutput {

  /** Payloads up to this many bytes are copied after their headers and sent with them. */
  private final val CopyLimit = 16 * 1024

  /** The tunnel's writer is emptied once it holds this many bytes. */
  private final val FlushLimit = 24 * 1024

  /** Frames in order. */
  private final class WaitingFrames {
    private val frames = new ArrayBuffer[(Int, Array[Byte])]
    var bytes          = 0

    def add(first: Int, payload: Array[Byte]): Unit = {
      frames += (first -> payload)
      bytes += payload.length
    }
    def foreach(f: (Int, Array[Byte]) => Unit): Unit = frames.foreach { case (first, payload) =>
      f(first, payload)
    }
  }
}
