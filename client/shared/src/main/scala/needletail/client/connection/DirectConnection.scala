package needletail.client.connection

import java.net.InetAddress

import needletail.async.Async
import needletail.io.{Address, Connector, TlsPeer}

/** Connections without a pool, for callers that manage their connections themselves. */
private[needletail] object DirectConnection {

  /**
   * Opens a connection. Must be called on `context`'s loop. The result is a connection that accepts a request; it
   * fails as `Connector.connect` does.
   *
   * @param owner notified whenever the connection accepts a request again, and when it has ended
   * @param hostName the host, for messages
   * @param timeoutNanos the time limit for connecting, in nanoseconds
   * @param source the local address to connect from; null: chosen by the system
   * @param tls the peer to secure the connection with; null: no TLS
   */
  def open(
      address: Address,
      context: ClientLoopContext,
      owner: ConnectionOwner,
      hostName: String,
      timeoutNanos: Long,
      source: InetAddress = null,
      tls: TlsPeer = null
  ): Async[ClientConnection] = {
    var opened: ClientConnection = null
    Connector
      .connect(address, context.loop, context.config.socket, timeoutNanos, source, tls) { connection =>
        opened = new ClientConnection(connection, context, owner, hostName)
        opened
      }
      .map { _ =>
        opened.settle()
        opened
      }
  }
}
