package needletail.gateway.serve

import needletail.gateway.format.cgi.RequestHead
import needletail.http.Handler
import needletail.http.text.ByteWriter
import needletail.server.exchange.{LentWriter, RequestRunner, ServerLoopContext}

/** What all FastCGI connections of one loop share; used by one of them at a time. */
private[gateway] final class FastCgiLoop(
    handler: Handler,
    val context: ServerLoopContext,
    val config: GatewayConfig,
    val log: RequestLog,
    allowed: Set[String],
    val readsAhead: Boolean
) {

  /** Runs the requests of all connections. */
  val runner = new RequestRunner(handler, context)

  /** Records that are sent together at the end of a connection's turn; lent to that turn. */
  val lent = new LentWriter(ServerLoopContext.WriterSize)
  val out  = lent.bytes

  /** A request's head, until the session has read it. */
  val headText = new ByteWriter(4 * 1024)
  val head     = new RequestHead(config.mountOrNull, isScript = false)

  /** Whether that peer may connect. FCGI_WEB_SERVER_ADDRS lists those that may (FastCGI 1.0, section 3.2). */
  def admits(remoteAddress: String): Boolean =
    allowed.isEmpty || remoteAddress.isEmpty || remoteAddress.startsWith("/") || {
      val ip = remoteAddress.substring(0, Math.max(0, remoteAddress.lastIndexOf(':')))
      allowed(ip.stripPrefix("[").stripSuffix("]"))
    }
}
