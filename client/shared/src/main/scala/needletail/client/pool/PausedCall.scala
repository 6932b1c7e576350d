package needletail.client.pool

/** A call that waits before its next attempt, neither in a pool's queue nor on a connection. */
private[client] trait PausedCall {

  /** The client was closed: the call fails, and is no longer among its loop's paused calls. */
  def clientClosed(): Unit
}
