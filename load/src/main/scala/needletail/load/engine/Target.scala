package needletail.load.engine

import java.net.{InetAddress, UnknownHostException}

import needletail.client.Origin
import needletail.io.{Address, TlsPeer}

/**
 * A server that is asked. Its name is looked up once, before the run: looking it up for each connection would measure
 * the look-up.
 *
 * @param addresses
 *   where it may be; the name itself where it has none, so that each attempt fails as it should
 * @param peer
 *   whom its connections are secured with; null for plain ones
 */
private[engine] final class Target(
    val index: Int,
    val origin: Origin,
    val addresses: Vector[Address],
    val peer: TlsPeer
) {

  /** The one to connect to: the first, until it refused and another did not. From any loop; a race does no harm. */
  @volatile var preferred: Int = 0

  def address(attempt: Int): Address = addresses((preferred + attempt) % addresses.size)

  def isTcp: Boolean = origin.address.isInstanceOf[Address.Tcp]

  /** Has its name an address? */
  def isResolved: Boolean = addresses.forall {
    case Address.Tcp(host, _) => Target.lookUp(host).nonEmpty
    case _                    => true
  }
}

private[engine] object Target {
  def of(index: Int, origin: Origin, peer: TlsPeer): Target =
    new Target(index, origin, addressesOf(origin.address), peer)

  private def addressesOf(address: Address): Vector[Address] = address match {
    case Address.Tcp(host, port) =>
      val found = lookUp(host).map(ip => Address.Tcp(ip.getHostAddress, port)).distinct
      if (found.isEmpty) Vector(address) else found
    case unix => Vector(unix)
  }

  /** Nothing where the name has no address. */
  private def lookUp(host: String): Vector[InetAddress] =
    try InetAddress.getAllByName(host).toVector
    catch { case _: UnknownHostException => Vector.empty }
}
