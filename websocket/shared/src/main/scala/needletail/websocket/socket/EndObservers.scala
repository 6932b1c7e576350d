package needletail.websocket.socket

import scala.collection.mutable

/** Functions to call once when a WebSocket closes. Most have none, so the set is made when it is needed. */
private[socket] final class EndObservers {
  private var all: mutable.LinkedHashSet[SocketConnection => Unit] = null

  def size: Int = if (all == null) 0 else all.size

  def add(f: SocketConnection => Unit): Unit = {
    if (all == null) all = mutable.LinkedHashSet.empty
    all += f
  }

  def remove(f: SocketConnection => Unit): Unit = if (all != null) all -= f

  def notifyOf(socket: SocketConnection): Unit = if (all != null) {
    val observers = all
    all = null
    observers.foreach(_(socket))
  }
}
