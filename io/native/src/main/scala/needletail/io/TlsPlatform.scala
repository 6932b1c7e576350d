package needletail.io

import java.io.IOException

/** There is no library for it that could be taken for granted. */
private[io] trait TlsPlatform {

  /** Can connections be secured here? */
  final val isKnown = false

  /** Fails each connection. */
  val system: Tls = new Tls {
    private[io] def over(socket: Socket, name: String, port: Int): Socket = {
      socket.close()
      throw new IOException("TLS is spoken on the JVM only")
    }
  }
}
