package needletail.gateway

import needletail.http.Handler
import needletail.io.Address
import needletail.server.{RunningServer, Server}

object Gateway {

  /**
   * Starts to serve `front`; it listens when this returns.
   *
   * @throws java.io.IOException when it cannot listen, naming the address
   */
  def start(handler: Handler, front: Front, config: GatewayConfig = GatewayConfig()): RunningServer = {
    def at(address: Address): GatewayConfig = config.copy(server = config.server.copy(address = address))
    front match {
      case Front.FastCgi(address) =>
        val own = at(address)
        Server.start(own.server, new FastCgiProtocol(handler, own))
      case Front.Http(address) => Server(handler, at(address).server).start()
      case _ => throw new IllegalArgumentException("a CGI program does not listen")
    }
  }
}
