package needletail.websocket

import needletail.http.{Headers, Request, Response, Upgrade}
import needletail.stream.Stream
import needletail.websocket.config.WebSocketConfig
import needletail.websocket.handshake.Handshake
import needletail.websocket.socket.{
  Message,
  ReceivedMessages,
  Role,
  SocketConnection,
  WebSocket,
  WebSocketListener
}

/**
 * Makes the responses that open WebSockets; `webSocket` is one:
 * {{{
 * GET / "echo" to webSocket { socket => message => socket ! message }
 * }}}
 * The function is called once the handshake has succeeded, on the connection's loop, and returns the listener. A request
 * that does not request a WebSocket gets 426, one of a foreign page 403: see [[WebSocketConfig]].
 */
final class WebSocketResponse private[websocket] (config: WebSocketConfig) {
  import WebSocketResponse.Offer

  /** The same with other settings: `webSocket.withConfig(WebSocketConfig(maxMessage = 4096)) { socket => … }`. */
  def withConfig(config: WebSocketConfig): WebSocketResponse = new WebSocketResponse(config)

  /** A response that opens a WebSocket. `open` is called with it, and returns the listener. */
  def apply(open: WebSocket => WebSocketListener): Response = new Offer(config, open).response

  /**
   * The same with streams: `f` makes the stream of the messages to send from the stream of those that are received.
   * {{{
   * GET / "upper" to webSocket.stream(in => in.map(m => Message.Text(m.text.toUpperCase)))
   * }}}
   * Messages are read as the stream is, and sent as the peer takes them. A function that does not read its stream
   * receives nothing, but sees the peer's end as any other. The WebSocket is closed with 1000 when the
   * stream ends, and with 1011 when it fails. When the peer closes, the received stream ends and the sent one is
   * cancelled.
   */
  def stream(f: Stream[Message] => Stream[Message]): Response = apply { socket =>
    val in = new ReceivedMessages(socket)
    in.sends(f(in))
    in
  }
}

private[websocket] object WebSocketResponse {
  private final val Protocol = "websocket"
  private val Switching      = Headers("Connection" -> "upgrade", "Upgrade" -> Protocol)

  final class Offer(config: WebSocketConfig, open: WebSocket => WebSocketListener) extends Upgrade {
    def protocol: String = Protocol

    override def switching: Headers = Switching

    def accept(request: Request): Upgrade.Answer = {
      val refusal = Handshake.refusal(request, config)
      if (refusal != null) refusal
      else {
        val subprotocol = Handshake.subprotocol(request, config.subprotocols)
        val agreement   = Handshake.compression(request, config.compression)
        val route       = request.routeClass // the request itself is not kept
        val name        =
          if (route == null) SocketConnection.unnamed
          else () => route.label.fold("")(label => s" (route $label)")
        new Upgrade.Accepted(
          Handshake.accepted(request, subprotocol, agreement),
          tunnel => {
            val codec  = if (agreement == null) null else agreement.codec()
            val socket = new SocketConnection(tunnel, config, Role.server, subprotocol, codec, name)
            socket.begin(open)
            socket
          }
        )
      }
    }
  }
}
