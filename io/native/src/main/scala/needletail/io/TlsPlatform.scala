package needletail.io

import needletail.io.platform.{TlsClientContext, TlsServerContext}
import needletail.io.system.tls.{OpenSslClient, OpenSslServer}
import needletail.io.tls.{TlsClientConfig, TlsServerConfig}

/** TLS by OpenSSL 3, which is loaded when it is first needed. Where it is missing, an IOException is thrown. */
private[io] trait TlsPlatform {

  /** Whether TLS is available on this platform. */
  final val isKnown = true

  /** Reads and verifies the files of a configuration. Throws an IOException that names the file and the error. */
  private[io] def load(config: TlsServerConfig): TlsServerContext = new OpenSslServer(config)

  /** The same. The system's trusted certificates are not read yet. */
  private[io] def load(config: TlsClientConfig): TlsClientContext = new OpenSslClient(config)
}
