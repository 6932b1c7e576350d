package needletail.gateway

import needletail.http.{ByteWriter, Handler}
import needletail.io.EventLoop
import needletail.server.{LoopContext, LoopProtocol, Protocol, SessionProtocol}

/** FastCGI, for a [[needletail.server.TcpServer]]. */
private[gateway] final class FastCgiProtocol(
    handler: Handler,
    config: GatewayConfig,
    allowed: Set[String] = Set.empty
) extends Protocol {
  def onLoop(loop: EventLoop): LoopProtocol = {
    val log = new RequestLog(config.server.log)
    new SessionProtocol(config.server.copy(log = log), CgiFormat)(context => {
      val own = new FastCgiLoop(handler, context, config, log, allowed)
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
    allowed: Set[String]
) {

  /** Records that go out together at the end of what a connection is doing. */
  val out = new ByteWriter(LoopContext.WriterSize)

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
