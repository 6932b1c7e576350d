package needletail.server

import scala.concurrent.duration._

import needletail.io.Address
import needletail.server.config.{AdminConfig, ServerConfig, TcpSettings}
import needletail.server.connection.HttpProtocol
import needletail.server.operations.{Log, Operations}
import needletail.server.overload.OverloadConfig
import needletail.server.tcp.TcpServer

/** The server described by [[AdminConfig]]: one loop, small limits, no overload control. */
private[server] object AdminServer {
  private final val MaxConnections = 256

  /** Short, since a client that holds connections without sending a request keeps others from reading `/health`. */
  private val HeadTimeout = 1.second

  /**
   * Starts the server.
   *
   * @throws CannotListen if the address cannot be bound
   */
  def start(admin: AdminConfig, operations: Operations, log: Log, keepsAlive: Boolean): TcpServer = {
    val config = ServerConfig(
      address = Address.Tcp(admin.host, admin.port),
      loops = 1,
      maxConnections = MaxConnections,
      headTimeout = HeadTimeout,
      overload = OverloadConfig.off,
      blockedLoop = Duration.Zero,
      log = log
    )
    val handler = new KnownHosts(admin.host, admin.names, operations.handler(admin.handler))
    TcpServer.start(
      TcpSettings(config).copy(loopName = "needletail-admin", keepsAlive = keepsAlive),
      HttpProtocol(handler, config)
    )
  }
}
