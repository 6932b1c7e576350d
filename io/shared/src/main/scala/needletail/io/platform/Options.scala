package needletail.io.platform

import needletail.async.Setting

/**
 * Options for listening. A value out of range throws IllegalArgumentException.
 *
 * @param backlog               connections the kernel may queue until they are accepted; it has a limit of its own
 * @param reusePort             SO_REUSEPORT: several listeners share one port and the kernel spreads connections
 * @param reuseAddress          SO_REUSEADDR: bind although old connections of the port are in TIME_WAIT
 * @param unlinkStaleUnixSocket remove a socket file that no process listens on, instead of failing
 * @param acceptBatch           maximum of connections accepted in one turn, so that a flood does not starve the others
 */
final case class ListenOptions(
    backlog: Int = 4096,
    reusePort: Boolean = false,
    reuseAddress: Boolean = true,
    unlinkStaleUnixSocket: Boolean = true,
    acceptBatch: Int = 64
) {
  private def check(): Unit = {
    val is = Setting("ListenOptions")
    is.positive("backlog", backlog)
    is.positive("acceptBatch", acceptBatch)
  }
  check()
}

/**
 * Options of a connection. A value out of range throws IllegalArgumentException.
 *
 * @param noDelay       TCP_NODELAY: a small write is sent at once (without it a reply can wait 40 ms)
 * @param keepAlive     SO_KEEPALIVE: the kernel probes a silent peer
 * @param maxLeftover   maximum of bytes kept that the handler has not used yet; also the most that one read can return
 * @param sendBuffer    SO_SNDBUF in bytes; None leaves it to the kernel, which tunes it automatically
 * @param receiveBuffer SO_RCVBUF in bytes; None as for `sendBuffer`
 * @param handshakeNanos how long an accepted connection's TLS handshake may take; then the connection is closed
 */
final case class ConnectionOptions(
    noDelay: Boolean = true,
    keepAlive: Boolean = false,
    maxLeftover: Int = 64 * 1024,
    sendBuffer: Option[Int] = None,
    receiveBuffer: Option[Int] = None,
    handshakeNanos: Long = 10L * 1000 * 1000 * 1000
) {
  private def check(): Unit = {
    val is = Setting("ConnectionOptions")
    is.positive("maxLeftover", maxLeftover)
    sendBuffer.foreach(is.positive("sendBuffer", _))
    receiveBuffer.foreach(is.positive("receiveBuffer", _))
    is.positive("handshakeNanos", handshakeNanos)
  }
  check()
}

object ConnectionOptions {

  /** The default options. */
  val default: ConnectionOptions = ConnectionOptions()
}
