package needletail

/**
 * WebSocket (RFC 6455), for servers and clients.
 *
 * {{{
 * val routes = Routes(GET / "echo" to webSocket { socket => message => socket ! message })
 * }}}
 */
package object websocket {

  /** A route's response that opens a WebSocket. */
  val webSocket: websocket.WebSocketResponse = new websocket.WebSocketResponse(config.WebSocketConfig())

  type WebSocket         = socket.WebSocket
  type WebSocketListener = socket.WebSocketListener
  type Message           = socket.Message
  type Broadcast         = socket.Broadcast
  type WebSocketClosed   = socket.WebSocketClosed
  type WebSocketRefused  = socket.WebSocketRefused

  val Message: socket.Message.type    = socket.Message
  val CloseCode: frame.CloseCode.type = frame.CloseCode

  type WebSocketConfig       = config.WebSocketConfig
  type Origins               = config.Origins
  type WebSocketClient       = client.WebSocketClient
  type WebSocketClientConfig = client.WebSocketClientConfig
  type Compression           = frame.Compression
  type PerMessageDeflate     = deflate.PerMessageDeflate

  val WebSocketConfig: config.WebSocketConfig.type             = config.WebSocketConfig
  val Origins: config.Origins.type                             = config.Origins
  val WebSocketClient: client.WebSocketClient.type             = client.WebSocketClient
  val WebSocketClientConfig: client.WebSocketClientConfig.type = client.WebSocketClientConfig

  /** Compression by permessage-deflate (RFC 7692). */
  val PerMessageDeflate: deflate.PerMessageDeflate.type = deflate.PerMessageDeflate
}
