package needletail.websocket.client

import scala.concurrent.duration._

import needletail.async.Setting
import needletail.client.config.Proxies
import needletail.io.Tls
import needletail.io.platform.ConnectionOptions
import needletail.websocket.config.WebSocketConfig

/**
 * The settings of a [[WebSocketClient]].
 *
 * @param webSocket those of its WebSockets; `origins` does not apply
 * @param loops event loops of the client, for calls from other threads; 0: as many as processors. Started when first
 *   needed
 * @param connectTimeout longest time to establish a connection, name lookup and TLS included
 * @param handshakeTimeout longest time for the server's answer after that
 * @param maxHead bytes of that answer's head; at most `socket.maxLeftover`
 * @param maxUnsent bytes that may wait for the server before nothing more is read from it
 * @param writeTimeout how long the server may read nothing of pending output; then the connection is closed
 * @param tls which certificates are trusted, for `wss`
 * @param socket options of the connections' sockets
 * @param proxies HTTP proxies, through which `ws` uses a tunnel (CONNECT), too: the one for http for `ws`, the one for
 *   https by `wss`. `connectTimeout` includes that
 * @throws java.lang.IllegalArgumentException if a setting is out of range
 */
final case class WebSocketClientConfig(
    webSocket: WebSocketConfig = WebSocketConfig(),
    loops: Int = 1,
    connectTimeout: FiniteDuration = FiniteDuration(3, SECONDS),
    handshakeTimeout: FiniteDuration = FiniteDuration(10, SECONDS),
    maxHead: Int = 32 * 1024,
    maxUnsent: Int = 256 * 1024,
    writeTimeout: FiniteDuration = FiniteDuration(30, SECONDS),
    tls: Tls = Tls.system,
    socket: ConnectionOptions = ConnectionOptions(),
    proxies: Proxies = Proxies.none
) {
  private def check(): Unit = {
    val is = Setting("WebSocketClientConfig")
    is.between("loops", loops, 0, 1024)
    is.positive("connectTimeout", connectTimeout)
    is.positive("handshakeTimeout", handshakeTimeout)
    is.between("maxHead", maxHead, 1, 48 * 1024) // a head must fit into a loop's read buffer
    is.check(
      "maxHead",
      maxHead,
      maxHead <= socket.maxLeftover,
      s"at most socket.maxLeftover (${socket.maxLeftover})"
    )
    is.positive("maxUnsent", maxUnsent)
    is.positive("writeTimeout", writeTimeout)
  }
  check()

  private[websocket] val handshakeNanos: Long = handshakeTimeout.toNanos
  private[websocket] val writeNanos: Long     = writeTimeout.toNanos
}
