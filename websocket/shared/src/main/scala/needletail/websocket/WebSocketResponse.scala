package needletail.websocket

import needletail.http.{Request, Response, Upgrade}
import needletail.websocket.handshake.Handshake

/**
 * Makes the responses that open WebSockets; `webSocket` is one:
 * {{{
 * GET / "echo" to webSocket { socket => message => socket ! message }
 * }}}
 * The function is called once the handshake has succeeded, on the connection's loop, and returns the listener. A request
 * that does not ask for a WebSocket gets 426, one of a foreign page 403: see [[WebSocketConfig]].
 */
final class WebSocketResponse private[websocket] () {
  def apply(open: WebSocket => Listener): Response = apply(usual)(open)

  def apply(config: WebSocketConfig)(open: WebSocket => Listener): Response =
    new Offer(config, open).response

  private val usual = WebSocketConfig()

  private final class Offer(config: WebSocketConfig, open: WebSocket => Listener) extends Upgrade {
    def protocol: String = "websocket"

    def accept(request: Request): Upgrade.Answer = {
      val refusal = Handshake.refusal(request, config)
      if (refusal != null) refusal
      else {
        val subprotocol = Handshake.subprotocol(request, config.subprotocols)
        val agreement   = Handshake.compression(request, config.compression)
        new Upgrade.Accepted(
          Handshake.accepted(request, subprotocol, agreement),
          tunnel => {
            val codec  = if (agreement == null) null else agreement.codec()
            val socket = new SocketConnection(tunnel, config, Role.server, subprotocol, codec)
            socket.begin(open)
            socket
          }
        )
      }
    }
  }
}
