package needletail.client

/** One loop's side of a client. */
private[client] final class ClientLoop(val client: Client, val context: LoopContext) {
  private val hosts    = new java.util.IdentityHashMap[Host, HostOnLoop]
  private var isClosed = false

  /** Is nothing to be begun here any more? */
  def isOver: Boolean = isClosed || context.loop.isStopping

  val backoff = new Backoff(context.config.retry, context.random)

  /** Calls that wait before their next attempt. */
  val resting = new Line

  def on(host: Host): HostOnLoop = {
    var h = hosts.get(host)
    if (h == null) {
      // somebody has kept a call of one that was forgotten
      val present = if (host.isForgotten) client.remember(host) else host
      if (present ne host) h = on(present)
      else {
        h = new HostOnLoop(host, context)
        hosts.put(host, h)
        if (isClosed) h.close()
      }
    }
    h
  }

  /** Nobody has asked for it in a long time: its connections go. */
  def forget(host: Host): Unit = {
    val h = hosts.remove(host)
    if (h != null) h.close()
  }

  def close(): Unit = {
    isClosed = true
    hosts.values.toArray(new Array[HostOnLoop](0)).foreach(_.close()) // a copy: closing may lead to new hosts
    while (!resting.isEmpty)
      resting.first match {
        case s: Sending[_] => s.clientClosed()
        case x             => resting.remove(x)
      }
  }
}
