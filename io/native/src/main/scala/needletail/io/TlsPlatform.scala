package needletail.io

import java.io.IOException
import java.nio.file.Path

/** There is no library for it that could be taken for granted: what the JVM has is refused here when it is asked for. */
private[io] trait TlsPlatform {

  /** Can connections be secured here? */
  final val isKnown = false

  /** Fails each connection. */
  val system: Tls = new Tls {
    private[io] def over(socket: Socket, name: String, port: Int): Socket = {
      socket.close()
      unknown()
    }
  }

  def trusting(certificates: Path): Tls = { val _ = certificates; unknown() }

  def unchecked: Tls = unknown()

  def identity(certificates: Path, key: Path): TlsIdentity = { val _ = (certificates, key); unknown() }

  private def unknown(): Nothing = throw new IOException("TLS is spoken on the JVM only")
}
