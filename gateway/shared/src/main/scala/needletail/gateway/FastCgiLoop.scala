package needletail.gateway

import needletail.http.{ByteWriter, Handler}
import needletail.io.EventLoop
import needletail.server.{LentWriter, Log, LoopContext, LoopProtocol, Protocol, SessionProtocol}

/**
 * FastCGI, for a [[needletail.server.TcpServer]].
 *
 * @param readsAhead reads on content while nobody takes the answer, as long as a connection has one request: Apache's
 *   mod_fcgid takes none of the answer before it has handed over all content, and would wait for ever
 */
private[gateway] final class FastCgiProtocol(
    handler: Handler,
    config: GatewayConfig,
    allowed: Set[String] = Set.empty,
    readsAhead: Boolean = false
) extends Protocol {
  def onLoop(loop: EventLoop): LoopProtocol = {
    val log = new RequestLog(Log.guarded(config.server.log))
    new SessionProtocol(config.server.copy(log = log), CgiFormat)(context => {
      val own = new FastCgiLoop(handler, context, config, log, allowed, readsAhead)
      connection => new FastCgiConnection(connection, own)
    }).onLoop(loop)
  }
}

/** What all FastCGI connections of one loop share, used by one of them at a time. */
private[gateway] final class FastCgiLoop(
    val handler: Handler,
    val context: LoopContext,
    val config: GatewayConfig,
    val log: RequestLog,
    allowed: Set[String],
    val readsAhead: Boolean
) {

  /** Records that go out together at the end of a connection's turn; lent to that. */
  val lent = new LentWriter(LoopContext.WriterSize)
  val out  = lent.bytes

  /** A request's head, until the session has read it. */
  val headText = new ByteWriter(4 * 1024)
  val head     = new RequestHead(config.mountOrNull, isScript = false)

  /** May that peer connect? FCGI_WEB_SERVER_ADDRS lists those who may (FastCGI 1.0, section 3.2). */
  def admits(remoteAddress: String): Boolean =
    allowed.isEmpty || remoteAddress.isEmpty || remoteAddress.startsWith("/") || {
      val ip = remoteAddress.substring(0, Math.max(0, remoteAddress.lastIndexOf(':')))
      allowed(ip.stripPrefix("[").stripSuffix("]"))
    }
}
