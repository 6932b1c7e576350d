package needletail.io

import java.io.IOException
import java.nio.channels.{SelectableChannel, SelectionKey}

/** See Platform.scala. */
private[io] abstract class Descriptor {
  private[io] def channel: SelectableChannel

  private[io] var key: SelectionKey = null // once watched
  private[io] var poller: Poller    = null // likewise
  private[io] var interest          = Interest.None

  /** The selection key's operations for a set of `Interest`. */
  private[io] def operations(interest: Int): Int

  def close(): Unit =
    try channel.close()
    catch { case _: IOException => () } // the kernel has taken it back all the same
}
