package needletail.client.pool

import needletail.client.connection.ClientLoopContext
import needletail.client.policy.RetryPolicy

/** The part of a client that belongs to one event loop. Used on that loop only. */
private[client] final class PerLoopClient(val registry: HostRegistry, val context: ClientLoopContext) {
  private val hosts   = new java.util.IdentityHashMap[Host, PerLoopHost]
  private val leaving = new java.util.ArrayList[PerLoopHost] // forgotten, with calls that wait
  private val key      = new AnyRef // of this loop's counts: `this` and the loop would be held by the hosts
  private var isClosed = false

  /** Whether the client has been closed, or the loop is stopping. */
  def isOver: Boolean = isClosed || context.loop.isStopping

  val retry = new RetryPolicy(context.config.retry, context.random)

  /** Calls that wait before their next attempt, in the order in which they began to. */
  val paused = new java.util.LinkedHashSet[PausedCall]

  /** This loop's part of a host. */
  def on(host: Host): PerLoopHost = {
    var h = hosts.get(host)
    if (h == null) {
      val present = registry.current(host) // a call may have outlived its host in the registry
      if (present ne host) h = on(present)
      else {
        h = new PerLoopHost(host, context, key)
        hosts.put(host, h)
        if (isClosed) h.close()
      }
    }
    h
  }

  /** Closes the host's unused connections. Calls of it that wait are still sent. */
  def forget(host: Host): Unit = {
    val h = hosts.remove(host)
    leaving.removeIf(!_.hasWaiting)
    if (h != null) {
      h.forget()
      if (h.hasWaiting) leaving.add(h)
    }
    ()
  }

  /** Closes unused connections and fails the calls that wait; later calls fail. */
  def close(): Unit = {
    isClosed = true
    hosts.values.toArray(new Array[PerLoopHost](0)).foreach(_.close()) // a copy: closing may add hosts
    leaving.toArray(new Array[PerLoopHost](0)).foreach(_.close())
    leaving.clear()
    while (!paused.isEmpty) paused.iterator.next().clientClosed()
  }
}
