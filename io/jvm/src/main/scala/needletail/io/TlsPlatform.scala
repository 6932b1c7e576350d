package needletail.io

import java.security.Provider
import javax.net.ssl.SSLContext

import needletail.io.platform.{TlsClientContext, TlsServerContext}
import needletail.io.system.tls.{JdkClientContext, JdkServerContext}
import needletail.io.tls.{TlsClientConfig, TlsServerConfig}

/** TLS by the JDK's `SSLEngine`, or that of another provider. */
private[io] trait TlsPlatform { this: Tls.type =>

  /** Whether TLS is available on this platform. */
  final val isKnown = true

  /** Uses the trust, keys and session cache of `context`. The certificate must be for the server's name. */
  def of(context: SSLContext): Tls = new Tls(JdkClientContext.of(() => context))

  /** As `client(config)`, by the `SSLContext` of another provider than the JDK's, such as Conscrypt. */
  def client(config: TlsClientConfig, provider: Provider): Tls =
    new Tls(JdkClientContext.load(config, provider), config.serverName)

  /** As `server(config)`, by the `SSLContext` of another provider than the JDK's, such as Conscrypt. */
  def server(config: TlsServerConfig, provider: Provider): TlsIdentity =
    identity(config, () => JdkServerContext.load(config, provider))

  /**
   * A server's identity with the keys, protocols and trust of `context`. Its certificates are not known, and `reload`
   * changes nothing.
   */
  def server(context: SSLContext): TlsIdentity = {
    val made = JdkServerContext.of(context)
    new TlsIdentity(TlsLimits(), () => made, Nil)
  }

  private[io] def load(config: TlsServerConfig): TlsServerContext = JdkServerContext.load(config, null)
  private[io] def load(config: TlsClientConfig): TlsClientContext = JdkClientContext.load(config, null)
}
