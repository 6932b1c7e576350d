package needletail.server.connection

import needletail.http.Handler
import needletail.server.config.ServerConfig
import needletail.server.connection.{Protocol, ServerConnection, SessionProtocol}
import needletail.server.exchange.{ReplyFormat, RequestRunner}

/** HTTP/1.1 for a [[TcpServer]]. */
private[server] object HttpProtocol {
  def apply(handler: Handler, config: ServerConfig): Protocol =
    new SessionProtocol(config, ReplyFormat.http)(context => {
      val runner = new RequestRunner(handler, context)
      connection => new ServerConnection(connection, runner)
    })
}
