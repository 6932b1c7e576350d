package needletail.io

import java.nio.channels.{SelectableChannel, SelectionKey}

/** See Platform.scala. */
private[needletail] abstract class Descriptor {

  /** What the selector watches; null for what is no channel, which only a simulation can watch. */
  private[io] def channel: SelectableChannel = null

  private[io] var key: SelectionKey = null // once watched
  private[io] var poller: NioPoller = null // likewise
  private[needletail] var interest  = Interest.None

  /** The selection key's operations for a set of `Interest`. */
  private[io] def operations(interest: Int): Int = interest

  def close(): Unit
}
