package needletail.tcp

import scala.concurrent.duration._

import needletail.async.Setting
import needletail.io.{Tls, TunnelProxy}
import needletail.io.platform.ConnectionOptions

/**
 * The settings of a [[TcpClient]]. Connections belong to the loop that opened them, so the limits of connections,
 * requests and queue apply to each loop.
 *
 * @param loops event loops of the client, for requests from other threads; 0: as many as processors. Started when first
 *   needed
 * @param connections open connections; another one is opened when all have `pipelining` requests in flight. With more
 *   than one, or more than one loop, requests that are made without waiting for the one before may be processed in any
 *   order
 * @param pipelining requests in flight on one connection; 1: the next is sent when the answer is complete
 * @param maxQueued requests that may wait for a place on a connection, or for the first connection; more fail with `QueueFull`
 * @param connectTimeout longest time to establish a connection, name lookup and TLS included; and then the longest time
 *   for the protocol's own set-up (`TcpProtocol.connected`)
 * @param requestTimeout longest time from a request to the end of its answer, waiting included, unless it has a limit
 *   of its own. Then it fails with `TimedOut`
 * @param stallTimeout longest time that requests are in flight on a connection without an answer to the first of them,
 *   or that the server does not read messages without an answer; then the connection is closed. A request with a
 *   longer limit of its own has that
 * @param idleTimeout time after which a connection on which nothing was sent or answered is closed; should be shorter
 *   than the server's. It does not apply with `keepConnected`
 * @param keepConnected whether a connection is opened again when there is none, though no request waits for it: for
 *   what the server sends by itself. It begins with the first use on a loop
 * @param reconnectDelay after a failed attempt to connect, the next one follows after a random time of up to this, which
 *   doubles with each failure in a row. Meanwhile requests fail at once
 * @param maxReconnectDelay the bound of that
 * @param maxMessage bytes of one message of the server, unless the codec says otherwise (`Codec.maxMessage`); a longer
 *   one ends the connection
 * @param maxPendingOutput bytes written that the server has not taken; beyond, requests wait. At least one is written
 * @param tls which certificates are trusted; None: no TLS
 * @param socket options of the connections' sockets
 * @param proxy makes a tunnel for each connection by TCP: `HttpProxy` of `needletail-client`. `connectTimeout` includes
 *   that. The proxy resolves the server's name. Unix sockets are called directly
 * @throws java.lang.IllegalArgumentException if a setting is out of range
 */
final case class TcpClientConfig(
    loops: Int = 1,
    connections: Int = 4,
    pipelining: Int = 128,
    maxQueued: Int = 1024,
    connectTimeout: FiniteDuration = 3.seconds,
    requestTimeout: FiniteDuration = 5.seconds,
    stallTimeout: FiniteDuration = 10.seconds,
    idleTimeout: FiniteDuration = 30.seconds,
    keepConnected: Boolean = false,
    reconnectDelay: FiniteDuration = 50.millis,
    maxReconnectDelay: FiniteDuration = 5.seconds,
    maxMessage: Int = 1024 * 1024,
    maxPendingOutput: Int = 256 * 1024,
    tls: Option[Tls] = None,
    socket: ConnectionOptions = ConnectionOptions(),
    proxy: Option[TunnelProxy] = None
) {
  private def check(): Unit = {
    val is = Setting("TcpClientConfig")
    is.between("loops", loops, 0, 1024)
    is.positive("connections", connections)
    is.positive("pipelining", pipelining)
    is.positive("maxQueued", maxQueued)
    is.positive("connectTimeout", connectTimeout)
    is.positive("requestTimeout", requestTimeout)
    is.positive("stallTimeout", stallTimeout)
    is.positive("idleTimeout", idleTimeout)
    is.positive("reconnectDelay", reconnectDelay)
    is.check(
      "maxReconnectDelay",
      maxReconnectDelay,
      maxReconnectDelay != null && maxReconnectDelay >= reconnectDelay && maxReconnectDelay <= Setting.Longest,
      s"$reconnectDelay (reconnectDelay) to ${Setting.Longest}"
    )
    is.positive("maxMessage", maxMessage)
    is.positive("maxPendingOutput", maxPendingOutput)
    // a connection has to keep the beginning of a message until MessageReader collects it
    is.check(
      "socket.maxLeftover",
      socket.maxLeftover,
      socket.maxLeftover >= 2 * MessageReader.Collect,
      s"${2 * MessageReader.Collect} or above"
    )
  }
  check()
}
