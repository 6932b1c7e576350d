package needletail.io

import java.io.IOException

import needletail.io.platform.{Socket, TlsClientContext, TlsServerContext}
import needletail.io.tls.{TlsClientConfig, TlsServerConfig}

/** TLS is not available on Native: what needs it throws an IOException. */
private[io] trait TlsPlatform {

  /** Whether TLS is available on this platform. */
  final val isKnown = false

  /** Throws an IOException that names the file and the error. */
  private[io] def load(config: TlsServerConfig): TlsServerContext = { val _ = config; unknown() }

  /** The same. The platform's trusted certificates are not read yet. */
  private[io] def load(config: TlsClientConfig): TlsClientContext = {
    val _ = config
    new TlsClientContext {
      def over(socket: Socket, name: String, port: Int): Socket = {
        socket.close()
        unknown()
      }
    }
  }

  private def unknown(): Nothing = throw new IOException("TLS is supported on the JVM only")
}
