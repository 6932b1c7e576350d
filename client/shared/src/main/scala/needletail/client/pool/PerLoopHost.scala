package needletail.client.pool

import needletail.client.connection.ClientLoopContext
import needletail.client.policy.Endpoint

/**
 * The part of a host that belongs to one event loop. Used on that loop only.
 *
 * @param loop identifies the loop's part of the client, and with it the loop's counts of the host, which outlive this
 */
private[client] final class PerLoopHost(val host: Host, context: ClientLoopContext, loop: AnyRef) {
  val counts: HostCounts = host.countsOf(loop)

  private val pools    = new Array[Pool](host.balancer.endpoints.length) // created when first used
  private var isClosed = false

  /** The connections to one of the host's addresses. */
  def pool(endpoint: Endpoint): Pool = {
    var p = pools(endpoint.index)
    if (p == null) {
      p = new Pool(context, host, endpoint, counts)
      if (isClosed) p.close()
      pools(endpoint.index) = p
    }
    p
  }

  /** Closes unused connections, and the others when their requests, and those that wait, are complete. */
  def forget(): Unit = pools.foreach(p => if (p != null) p.forget())

  /** Whether requests wait for a connection. */
  def hasWaiting: Boolean = pools.exists(p => p != null && p.hasWaiting)

  /** Closes unused connections and fails the calls that wait for one, and later ones. */
  def close(): Unit = {
    isClosed = true
    pools.foreach(p => if (p != null) p.close())
  }
}
