package needletail.websocket.client

import java.io.IOException

import scala.concurrent.Future

import needletail.async.{Async, Refused}
import needletail.client.config.HttpProxy
import needletail.client.url.Url
import needletail.http.message.Headers
import needletail.http.text.{Ascii, Entropy}
import needletail.io.{Address, Connector, EventLoop, EventLoops, LoopStates, ProxyHandshake}
import needletail.websocket.socket.{WebSocket, WebSocketListener, WebSocketRefused}

/**
 * Opens WebSockets, by `ws://host:port/path?query` and `wss://`.
 * {{{
 * val client = WebSocketClient()
 * client.future("ws://127.0.0.1:8080/echo") { socket =>
 *   socket.send("hello")
 *   message => println(message.text)
 * }
 * }}}
 * A WebSocket that ends stays so: whether and when to open another one is the caller's decision.
 */
final class WebSocketClient private (
    val config: WebSocketClientConfig,
    lent: EventLoops,
    entropy: Array[Byte] => Unit
) extends AutoCloseable {
  private val states = new LoopStates[WebSocketClient.OnLoop](
    "the client",
    "needletail-websocket",
    config.loops,
    lent,
    loop => new WebSocketClient.OnLoop(loop, entropy),
    _.isClosed = true
  )

  /**
   * Opens a WebSocket on the calling event loop. `open` is called as soon as the server has accepted, and returns the
   * listener. Fails with an IOException: a `WebSocketRefused` if the server answered something else, or if a proxy
   * makes no tunnel to it; or with what `open` throws.
   *
   * @param headers sent with the request; a Host replaces that of the URL
   * @throws java.lang.IllegalStateException on any other thread
   * @throws java.lang.IllegalArgumentException if the URL is malformed, if there are several Hosts, or if `headers` have
   *   one that the client sets itself, or that has no place there: those for the handshake (also Sec-WebSocket-Protocol,
   *   see `WebSocketConfig.subprotocols`), length, coding and connection
   */
  def connect(
      url: String,
      headers: Headers = Headers.empty
  )(open: WebSocket => WebSocketListener): Async[WebSocket] = {
    val to        = WebSocketClient.parse(url)
    val on        = states.here("this must be called on an event loop's own thread; use future elsewhere")
    val name      = WebSocketClient.name(to)
    val handshake =
      new ClientHandshake(name, to.origin.authority, to.target, headers, config, on.part, open)
    val proxy                = config.proxies.of(to.origin)
    var tunnel: ClientTunnel = null
    Refused.later(
      if (on.isClosed) Async.fail(WebSocketClient.closedError)
      else
        Connector
          .connect(
            proxy.fold(to.origin.address)(_.address),
            on.loop,
            config.socket,
            config.connectTimeout.toNanos,
            null,
            to.origin.peer(config.tls),
            WebSocketClient.handshake(proxy, to.origin.address)
          ) { connection =>
            tunnel = new ClientTunnel(connection, on.part, config, handshake)
            tunnel
          }
          .recoverWith(WebSocketClient.refusal(name))
          .flatMap { _ =>
            tunnel.begin()
            handshake.opened.onCancel(() => tunnel.abort())
            handshake.opened
          }
    )
  }

  /** As `connect`, from any thread, on a loop of the client. The future fails with what `connect` throws. */
  def future(
      url: String,
      headers: Headers = Headers.empty
  )(open: WebSocket => WebSocketListener): Future[WebSocket] =
    states.run(connect(url, headers)(open), () => WebSocketClient.closedError)

  /**
   * Stops the client's own loops, with their WebSockets; those on loops of others go on. No further WebSocket can be
   * opened: that fails with an IOException. Returns when that is done, or after five seconds if user code blocks a
   * loop; on an event loop's thread, at once.
   */
  def close(): Unit = states.close()
}

object WebSocketClient {

  /** A client with loops of its own. */
  def apply(config: WebSocketClientConfig = WebSocketClientConfig()): WebSocketClient =
    new WebSocketClient(config, null, Entropy.fill)

  /** A client that uses these loops for calls from other threads, and does not stop them. */
  def apply(config: WebSocketClientConfig, loops: EventLoops): WebSocketClient =
    new WebSocketClient(config, loops, Entropy.fill)

  /** The same with another source of keys and masks, for tests that have to repeat each byte. */
  private[needletail] def apply(
      config: WebSocketClientConfig,
      loops: EventLoops,
      entropy: Array[Byte] => Unit
  ): WebSocketClient = new WebSocketClient(config, loops, entropy)

  private final class OnLoop(val loop: EventLoop, entropy: Array[Byte] => Unit) {
    val part     = new PerLoopSockets(entropy)
    var isClosed = false
  }

  private def closedError: IOException = new IOException("the client is closed")

  private def handshake(proxy: Option[HttpProxy], to: Address): ProxyHandshake = (proxy, to) match {
    case (Some(proxy), tcp: Address.Tcp) => proxy.handshake(tcp)
    case _                               => null
  }

  private def refusal(name: String): PartialFunction[Throwable, Async[Nothing]] = {
    case HttpProxy.Refused(status, why) => Async.fail(new WebSocketRefused(status.code, s"$name: $why"))
  }

  /** For messages: without the query, which may contain secrets. */
  private def name(url: Url): String =
    s"${if (url.origin.isSecure) "wss" else "ws"}://${url.origin.authority}${url.target.takeWhile(_ != '?')}"

  private def parse(url: String): Url = {
    val lower = Ascii.lower(url)
    if (!lower.startsWith("ws://") && !lower.startsWith("wss://"))
      throw new IllegalArgumentException(s"the URL of a WebSocket begins with ws:// or wss://: $url")
    Url.parse("http" + url.substring(2)).fold(
      error => throw new IllegalArgumentException(s"$url: $error"),
      identity
    )
  }
}
