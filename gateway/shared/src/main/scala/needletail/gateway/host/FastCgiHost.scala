package needletail.gateway.host

import needletail.async.Async
import needletail.gateway.host.backend.{Backend, StandardErrorLog}
import needletail.gateway.host.incoming.{Mount, ProgramRequest}
import needletail.gateway.host.upstream.{Endpoint, FastCgiPool, FastCgiPools}

/** Forwards requests to FastCGI servers. */
private[host] final class FastCgiHost(mount: Mount, upstream: Upstream, up: UpstreamConfig)
    extends UpstreamHost(mount, upstream, up, "fastcgi") {
  private val pools = {
    val settings = new FastCgiPool.Settings(up.keep, up.multiplex, up.idleTimeout.toNanos)
    endpoints.map(new FastCgiPools(_, settings))
  }

  protected def begin(
      endpoint: Endpoint,
      fresh: Boolean,
      asked: ProgramRequest,
      connectNanos: Long
  ): Async[Backend] =
    pools(endpoint.index)
      .on(asked.loop)
      .connection(fresh, connectNanos)
      .map(_.begin(asked.variables, new StandardErrorLog(asked.what, config.log)))
}
