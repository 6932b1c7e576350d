package needletail

/**
 * WebSocket (RFC 6455), for servers and clients.
 *
 * {{{
 * val routes = Routes(GET / "echo" to webSocket { socket => message => socket ! message })
 * }}}
 */
package object websocket {

  /** What a route responds with to open a WebSocket. */
  val webSocket: websocket.WebSocketResponse = new websocket.WebSocketResponse
}
