package needletail.websocket.socket

/** Which side of a connection this is: a client masks what it sends. */
private[websocket] abstract class Role {
  def isServer: Boolean

  /** An unpredictable key (RFC 6455 §10.3), for the next frame of a client. */
  def maskKey(): Int
}

private[websocket] object Role {
  val server: Role = new Role {
    def isServer: Boolean = true
    def maskKey(): Int    = throw new IllegalStateException("a server does not mask")
  }
}
