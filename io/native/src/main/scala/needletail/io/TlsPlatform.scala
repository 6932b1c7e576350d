package needletail.io

import java.io.IOException
import java.nio.file.Path

import needletail.io.platform.Socket

/** TLS is not available on Native: everything throws an IOException. */
private[io] trait TlsPlatform {

  /** Whether TLS is available on this platform. */
  final val isKnown = false

  /** Every connection fails. */
  val system: Tls = new Tls {
    private[io] def over(socket: Socket, name: String, port: Int): Socket = {
      socket.close()
      unknown()
    }
  }

  def trusting(certificates: Path): Tls = { val _ = certificates; unknown() }

  def unchecked: Tls = unknown()

  def identity(certificates: Path, key: Path): TlsIdentity = { val _ = (certificates, key); unknown() }

  private def unknown(): Nothing = throw new IOException("TLS is supported on the JVM only")
}
