package needletail.load.engine.compiled

import java.net.{InetAddress, UnknownHostException}
import java.util.concurrent.ConcurrentHashMap

/**
 * The addresses of servers' names. Each name is looked up once and its addresses are kept as long as this object, so
 * that the checks before a run, the run, and later runs see the same servers. May be used by any thread.
 */
final class NameResolver {
  private val known = new ConcurrentHashMap[String, Vector[InetAddress]]

  /** The addresses of `host`; none if it has none. May block for a name server. */
  def addresses(host: String): Vector[InetAddress] = known.computeIfAbsent(host, NameResolver.lookUp(_))
}

private object NameResolver {
  private def lookUp(host: String): Vector[InetAddress] =
    try InetAddress.getAllByName(host).toVector
    catch { case _: UnknownHostException => Vector.empty }
}
