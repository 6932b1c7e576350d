package needletail.client

/** One loop's side of a host. */
private[client] final class HostOnLoop(val host: Host, context: LoopContext) {
  val counts = new HostCounts
  host.counts.add(counts)

  private val pools = new Array[Pool](host.balancer.endpoints.length) // made when first used

  def pool(endpoint: Endpoint): Pool = {
    var p = pools(endpoint.index)
    if (p == null) {
      p = new Pool(context, host, endpoint, counts)
      pools(endpoint.index) = p
    }
    p
  }

  def close(): Unit = pools.foreach(p => if (p != null) p.close())
}
