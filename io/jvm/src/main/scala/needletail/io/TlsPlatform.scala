package needletail.io

import java.io.IOException
import java.net.Socket as PlainSocket
import java.nio.file.Path
import java.security.cert.X509Certificate
import java.security.{GeneralSecurityException, KeyStore}
import javax.net.ssl.{SSLContext, SSLEngine, TrustManager, TrustManagerFactory, X509ExtendedTrustManager}

/** TLS by the JDK's own `SSLEngine`. */
private[io] trait TlsPlatform {

  /** Can connections be secured here? */
  final val isKnown = true

  /** Trusts whom the JDK trusts, and who is who the URL names. */
  val system: Tls = new JdkTls(() => SSLContext.getDefault, isChecked = true)

  /** Trusts whom `context` trusts, with its keys and its cache of sessions; the server must be who the URL names. */
  def of(context: SSLContext): Tls = new JdkTls(() => context, isChecked = true)

  /**
   * Trusts the certificates of a file, and nobody else: one's own authority, or a server's own certificate.
   *
   * @param certificates
   *   X.509 in PEM, one or several
   * @throws java.io.IOException
   *   where it cannot be read, or has none
   */
  def trusting(certificates: Path): Tls = {
    val store = KeyStore.getInstance(KeyStore.getDefaultType)
    store.load(null, null)
    PemKey.certificates(certificates).foreach(store.setCertificateEntry(s"trusted ${store.size}", _))
    val trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm)
    trust.init(store)
    of(contextOf(trust.getTrustManagers))
  }

  /** Trusts whoever answers: encrypted, and perhaps by somebody else. For tests of one's own servers. */
  def unchecked: Tls = {
    val context = contextOf(Array(new Credulous))
    new JdkTls(() => context, isChecked = false)
  }

  /** A server with the keys of `context`, and whatever else that is made for. */
  def identity(context: SSLContext): TlsIdentity = new JdkTlsIdentity(context)

  /**
   * A server by files as `certbot` and others leave them.
   *
   * @param certificates
   *   X.509 in PEM, the server's own first, then those that vouch for it
   * @param key
   *   of the first, in PEM, PKCS #8 (`BEGIN PRIVATE KEY`), not encrypted
   * @throws java.io.IOException
   *   where one cannot be read, is something else, or they do not belong together
   */
  def identity(certificates: Path, key: Path): TlsIdentity = identity(PemKey.context(certificates, key))

  private def contextOf(trust: Array[TrustManager]): SSLContext = {
    val context = SSLContext.getInstance("TLS")
    context.init(null, trust, null)
    context
  }
}

/** @param isChecked must the certificate be one for the server's name? */
private[io] final class JdkTls(makeContext: () => SSLContext, isChecked: Boolean) extends Tls {
  private lazy val context = makeContext() // reads some hundred certificates

  private[io] override def prepare(): Unit =
    try { val _ = context }
    catch { case _: GeneralSecurityException => () }

  private[io] def over(socket: Socket, name: String, port: Int): Socket =
    try {
      val engine     = context.createSSLEngine(name, port) // sessions are kept by these
      val parameters = engine.getSSLParameters
      if (isChecked) parameters.setEndpointIdentificationAlgorithm("HTTPS")
      engine.setSSLParameters(parameters)
      engine.setUseClientMode(true)
      new TlsSocket(socket.asInstanceOf[NioSocket].channel, engine, name)
    } catch {
      case e: Throwable =>
        socket.close()
        throw e match {
          case g: GeneralSecurityException => new IOException(s"TLS is not set up here: ${g.getMessage}", g)
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
