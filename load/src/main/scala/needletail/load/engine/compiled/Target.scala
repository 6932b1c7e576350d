package needletail.load.engine.compiled

import needletail.client.url.Origin
import needletail.io.{Address, TlsPeer}

/**
 * A server that requests go to. Its name is looked up once, before the run: otherwise the lookups would be measured.
 *
 * @param addresses its addresses; the name itself if it has none, so that each attempt fails as it should
 * @param isResolved whether its name has an address
 * @param peer the TLS settings of its connections; null for connections without TLS
 * @param webSocket how its connections become WebSockets; null if they are for requests
 */
private[engine] final class Target(
    val index: Int,
    val origin: Origin,
    val addresses: Vector[Address],
    val isResolved: Boolean,
    val peer: TlsPeer,
    val webSocket: WebSocketOpening = null
) {

  /**
   * The address to connect to: the first, until it refused and another did not. Used by all loops; a race is harmless.
   */
  @volatile var preferred: Int = 0

  def address(attempt: Int): Address = addresses((preferred + attempt) % addresses.size)

  def isTcp: Boolean = origin.address.isInstanceOf[Address.Tcp]
}

/** What opens a WebSocket besides its own fields: the path with the query, and lines of headers. */
private[engine] final case class WebSocketOpening(path: String, lines: Vector[(String, String)])

private[engine] object Target {
  def of(
      index: Int,
      origin: Origin,
      peer: TlsPeer,
      names: NameResolver,
      webSocket: WebSocketOpening = null
  ): Target = origin.address match {
    case tcp @ Address.Tcp(host, port) =>
      val found     = names.addresses(host).map(ip => Address.Tcp(ip.getHostAddress, port)).distinct
      val addresses = if (found.isEmpty) Vector(tcp) else found
      new Target(index, origin, addresses, found.nonEmpty, peer, webSocket)
    case other => new Target(index, origin, Vector(other), true, peer, webSocket)
  }
}
