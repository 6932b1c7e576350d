package needletail.client.connection

/** Operations of an exchange on the connection that it is in flight on, on that connection's loop. */
private[client] trait ExchangeConnection {

  /**
   * Drops an exchange: it is not notified of anything any more. The rest of its response is read and discarded if it
   * is small; otherwise the connection is closed, as HTTP/1.1 has no other way to stop a response. No effect if the
   * exchange is not on this connection.
   *
   * @param orderly whether the response is known to end soon, so that a rest of unknown length is no reason to close
   */
  def abandon(x: ClientExchange, orderly: Boolean): Unit

  /** Applies a change of the first exchange's `deadline` or `wantsContent`. */
  def settle(): Unit

  /** Closes the connection; the exchanges in flight fail. */
  def close(): Unit
}
