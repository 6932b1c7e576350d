package needletail.server.failure

/** The failure of reading a body whose client has disconnected. */
final class ConnectionLost extends RuntimeException("the connection was lost", null, false, false)
