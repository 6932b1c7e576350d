package needletail.io

import java.io.IOException
import java.net.Socket as PlainSocket
import java.nio.file.Path
import java.security.cert.X509Certificate
import java.security.{GeneralSecurityException, KeyStore}
import javax.net.ssl.{SSLContext, SSLEngine, TrustManager, TrustManagerFactory, X509ExtendedTrustManager}

import needletail.io.platform.Socket
import needletail.io.system.{NioSocket, PemKey, TlsSocket}

/** TLS by the JDK's own `SSLEngine`. */
private[io] trait TlsPlatform {

  /** Whether TLS is available on this platform. */
  final val isKnown = true

  /** Uses the JDK's trust store. The certificate must be for the server's name. */
  val system: Tls = new JdkTls(() => SSLContext.getDefault, isChecked = true)

  /** Uses the trust, keys and session cache of `context`. The certificate must be for the server's name. */
  def of(context: SSLContext): Tls = new JdkTls(() => context, isChecked = true)

  /**
   * Trusts the certificates in a file and no others: those of a private authority, or a server's own.
   *
   * @param certificates X.509 in PEM, one or several
   * @throws java.io.IOException if it cannot be read, or has no certificate
   */
  def trusting(certificates: Path): Tls = {
    val store = KeyStore.getInstance(KeyStore.getDefaultType)
    store.load(null, null)
    PemKey.certificates(certificates).foreach(store.setCertificateEntry(s"trusted ${store.size}", _))
    val trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm)
    trust.init(store)
    of(contextOf(trust.getTrustManagers))
  }

  /** Checks no certificate: encrypted, but open to impersonation. For tests only. */
  def unchecked: Tls = {
    val context = contextOf(Array(new Credulous))
    new JdkTls(() => context, isChecked = false)
  }

  /** A server's identity with the keys, protocols and trust of `context`. */
  def identity(context: SSLContext): TlsIdentity = new JdkTlsIdentity(context)

  /**
   * A server's identity from files as `certbot` and others write them.
   *
   * @param certificates X.509 in PEM, the server's own first, then those of its issuers
   * @param key of the first certificate, in PEM, PKCS #8 (`BEGIN PRIVATE KEY`), not encrypted
   * @throws java.io.IOException if one cannot be read or has no such content, or if the key does not match the
   *   certificate
   */
  def identity(certificates: Path, key: Path): TlsIdentity = identity(PemKey.context(certificates, key))

  private def contextOf(trust: Array[TrustManager]): SSLContext = {
    val context = SSLContext.getInstance("TLS")
    context.init(null, trust, null)
    context
  }
}

/** @param isChecked whether the certificate must be for the server's name */
private[io] final class JdkTls(makeContext: () => SSLContext, isChecked: Boolean) extends Tls {
  private lazy val context = makeContext() // reads some hundred certificates

  private[io] override def prepare(): Unit =
    try { val _ = context }
    catch { case _: GeneralSecurityException => () }

  private[io] def over(socket: Socket, name: String, port: Int): Socket =
    try {
      val engine     = context.createSSLEngine(name, port) // sessions are cached by name and port
      val parameters = engine.getSSLParameters
      if (isChecked) parameters.setEndpointIdentificationAlgorithm("HTTPS")
      engine.setSSLParameters(parameters)
      engine.setUseClientMode(true)
      new TlsSocket(socket.asInstanceOf[NioSocket].channel, engine, name)
    } catch {
      case e: Throwable =>
        socket.close()
        throw e match {
          case g: GeneralSecurityException => new IOException(s"TLS is not available: ${g.getMessage}", g)
          case other                       => other
        }
    }
}

private[io] final class JdkTlsIdentity(context: SSLContext) extends TlsIdentity {
  private[io] def over(socket: Socket): Socket = {
    val engine = context.createSSLEngine()
    engine.setUseClientMode(false)
    new TlsSocket(socket.asInstanceOf[NioSocket].channel, engine, "the client")
  }
}

private final class Credulous extends X509ExtendedTrustManager {
  def checkClientTrusted(chain: Array[X509Certificate], kind: String): Unit                    = ()
  def checkServerTrusted(chain: Array[X509Certificate], kind: String): Unit                    = ()
  def checkClientTrusted(chain: Array[X509Certificate], kind: String, s: PlainSocket): Unit    = ()
  def checkServerTrusted(chain: Array[X509Certificate], kind: String, s: PlainSocket): Unit    = ()
  def checkClientTrusted(chain: Array[X509Certificate], kind: String, engine: SSLEngine): Unit = ()
  def checkServerTrusted(chain: Array[X509Certificate], kind: String, engine: SSLEngine): Unit = ()
  def getAcceptedIssuers: Array[X509Certificate]                                               = Array.empty
}
