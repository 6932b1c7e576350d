package needletail.tcp

import scala.concurrent.duration.FiniteDuration

import needletail.io.{Address, EventLoop, ProxyHandshake, TlsPeer, TunnelProxy}

/** State shared by the connections of one client on one loop. Used on that loop only, except `counts`. */
private[tcp] final class ClientContext[I, O](
    val loop: EventLoop,
    val protocol: TcpProtocol[I, O],
    val address: Address,
    val tls: TlsPeer,
    val config: TcpClientConfig,
    val counts: ClientCounts
) {
  val stallNanos: Long   = config.stallTimeout.toNanos
  val idleNanos: Long    = config.idleTimeout.toNanos
  val connectNanos: Long = config.connectTimeout.toNanos
  val maxMessage: Int    = protocol.codec.maxMessage.getOrElse(config.maxMessage)
  private val name       = address.toString

  private val through: Option[(TunnelProxy, Address.Tcp)] = (config.proxy, address) match {
    case (Some(proxy), to: Address.Tcp) => Some((proxy, to))
    case _                              => None
  }

  /** Where connections are made to: the proxy, or the server itself. */
  val nextHop: Address = through.fold(address)(_._1.address)

  /** The handshake that starts a new connection; null for none. */
  def handshake(): ProxyHandshake = through.fold(null: ProxyHandshake) { case (proxy, to) =>
    proxy.handshake(to)
  }

  def timedOut(limit: FiniteDuration, what: String, written: Boolean): TcpClientError =
    new TcpClientError.TimedOut(name, limit, what, written)

  def closed(written: Boolean): TcpClientError = new TcpClientError.Closed(name, written)

  def lost(what: String, cause: Throwable, written: Boolean): TcpClientError =
    new TcpClientError.ConnectionLost(name, what, cause, written)

  def malformed(what: String, cause: Throwable): TcpClientError =
    new TcpClientError.Malformed(name, what, cause)

  def notEncoded(cause: Throwable): TcpClientError = new TcpClientError.NotEncoded(name, cause)

  def queueFull(what: String): TcpClientError = new TcpClientError.QueueFull(name, what)

  def cannotConnect(what: String, cause: Throwable): TcpClientError =
    new TcpClientError.CannotConnect(name, what, cause)
}
