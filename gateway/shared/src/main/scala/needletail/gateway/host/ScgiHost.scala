package needletail.gateway.host

import needletail.async.Async
import needletail.gateway.host.backend.Backend
import needletail.gateway.host.incoming.{Mount, ProgramRequest}
import needletail.gateway.host.upstream.{Endpoint, ScgiExchange}
import needletail.gateway.format.scgi.Scgi
import needletail.http.text.ByteWriter
import needletail.io.Connector

/** Forwards requests to SCGI servers. */
private[host] final class ScgiHost(mount: Mount, upstream: Upstream, up: UpstreamConfig)
    extends UpstreamHost(mount, upstream, up, "scgi") {
  protected def begin(
      endpoint: Endpoint,
      fresh: Boolean,
      asked: ProgramRequest,
      connectNanos: Long
  ): Async[Backend] = {
    var made: ScgiExchange = null
    endpoint.open.incrementAndGet()
    Connector
      .connect(endpoint.address, asked.loop, timeoutNanos = connectNanos) { connection =>
        made = new ScgiExchange(connection, () => { endpoint.open.decrementAndGet(); () })
        made
      }
      .map { connection =>
        val w = new ByteWriter(2048)
        Scgi.write(w, asked.content.length, asked.variables.filterNot(_._1 == "CONTENT_LENGTH"))
        connection.writeOwned(w.bytes, 0, w.length)
        made
      }
      .andFinally(if (made == null) { endpoint.open.decrementAndGet(); () })
  }
}
