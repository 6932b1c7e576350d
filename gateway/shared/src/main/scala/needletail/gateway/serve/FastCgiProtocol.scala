package needletail.gateway.serve

import needletail.gateway.format.cgi.CgiFormat
import needletail.http.Handler
import needletail.io.EventLoop
import needletail.server.connection.{LoopProtocol, Protocol, SessionProtocol}
import needletail.server.operations.Log

/**
 * FastCGI, for a [[needletail.server.Server]].
 *
 * @param readsAhead whether content is read while the response is not being taken, as long as a connection has one
 *   request: Apache's mod_fcgid takes none of the response before it has passed on all content, and would wait forever
 */
private[gateway] final class FastCgiProtocol(
    handler: Handler,
    config: GatewayConfig,
    allowed: Set[String] = Set.empty,
    readsAhead: Boolean = false
) extends Protocol {
  private[needletail] override def scheme(isSecure: Boolean): String = "fastcgi"

  def onLoop(loop: EventLoop, server: Log): LoopProtocol = {
    val log = new RequestLog(server)
    new SessionProtocol(config.server, CgiFormat)(context => {
      val own = new FastCgiLoop(handler, context, config, log, allowed, readsAhead)
      connection => new FastCgiConnection(connection, own)
    }).onLoop(loop, log)
  }
}
