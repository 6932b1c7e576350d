package needletail.io.platform

import java.nio.ByteBuffer
import java.nio.channels.{SelectableChannel, SelectionKey}

/** See Platform.scala. */
private[needletail] abstract class Descriptor {

  /** The channel that the selector watches; null if there is none, as in the simulation. */
  private[io] def channel: SelectableChannel = null

  private[io] var key: SelectionKey = null // once registered

  /** Once registered: its poller's buffers, through which bytes pass between the loop's arrays and the kernel. */
  private[io] var buffers: TransferBuffers = null

  /** The usual one; null before it is registered. */
  private[io] final def transfer: ByteBuffer = if (buffers eq null) null else buffers.usual

  private[needletail] var interest = Interest.None

  /** The selection key's operations for a set of `Interest`. */
  private[io] def operations(interest: Int): Int = interest

  def close(): Unit
}
