package needletail

/**
 * WebSocket (RFC 6455), for servers and clients.
 *
 * {{{
 * val routes = Routes(GET / "echo" to webSocket { socket => message => socket ! message })
 * }}}
 */
package object websocket {

  type WebSocketClient       = client.WebSocketClient
  type WebSocketClientConfig = client.WebSocketClientConfig

  val WebSocketClient: client.WebSocketClient.type             = client.WebSocketClient
  val WebSocketClientConfig: client.WebSocketClientConfig.type = client.WebSocketClientConfig

  type Compression       = frame.Compression
  type PerMessageDeflate = deflate.PerMessageDeflate
  val PerMessageDeflate: deflate.PerMessageDeflate.type = deflate.PerMessageDeflate

  /** What a route responds with to open a WebSocket. */
  val webSocket: websocket.WebSocketResponse = new websocket.WebSocketResponse(WebSocketConfig())
}
