package needletail.simulation.tls

import java.io.ByteArrayInputStream
import java.net.Socket
import java.nio.charset.StandardCharsets.US_ASCII
import java.security.cert.{CertificateFactory, X509Certificate}
import java.security.spec.PKCS8EncodedKeySpec
import java.security.{KeyFactory, Principal, PrivateKey, Security}
import java.util.Base64
import javax.net.ssl.{
  KeyManager,
  SSLContext,
  SSLEngine,
  TrustManager,
  X509ExtendedKeyManager,
  X509ExtendedTrustManager
}

import needletail.io.{Tls, TlsIdentity, TlsServerConfig}

/** By the JDK's engine. */
final class PlatformTlsEngines extends TlsEngines {
  import PlatformTlsEngines._

  private val contexts = scala.collection.mutable.Map.empty[String, SSLContext]

  def client(name: String, isOld: Boolean, showing: String): TlsEngine = {
    val engine = context(showing).createSSLEngine(name, if (isOld) 2 else 1)
    engine.setUseClientMode(true)
    engine.setEnabledProtocols(Array(if (isOld) "TLSv1.2" else "TLSv1.3"))
    begun(engine)
  }

  def server(): TlsEngine = {
    val engine = context(TestKeys.one).createSSLEngine()
    engine.setUseClientMode(false)
    begun(engine)
  }

  /** The JDK's own provider stands for others that compute while they read. Its tasks still run on other threads. */
  def identity(config: TlsServerConfig, isInline: Boolean): TlsIdentity =
    if (isInline) Tls.server(config, Security.getProvider("SunJSSE")) else Tls.server(config)

  def seed(number: Long): Unit = () // no length depends on the JDK's random numbers

  def close(): Unit = ()

  private def begun(engine: SSLEngine): TlsEngine = {
    engine.beginHandshake()
    new JdkTlsEngine(engine)
  }

  private def context(certificate: String): SSLContext = contexts.getOrElseUpdate(
    certificate, {
      val made = SSLContext.getInstance("TLS")
      made.init(if (certificate == null) null else keys(certificate), Array[TrustManager](Everybody), null)
      made
    }
  )
}

object PlatformTlsEngines {

  /** Why there is no TLS here; null if there is. */
  val missing: String = null

  private lazy val key = {
    val base64 = TestKeys.key.linesIterator.filterNot(_.startsWith("-----")).mkString
    KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder.decode(base64)))
  }

  private def keys(certificate: String): Array[KeyManager] = {
    val made = CertificateFactory.getInstance("X.509")
      .generateCertificate(new ByteArrayInputStream(certificate.getBytes(US_ASCII)))
    made match {
      case x509: X509Certificate => Array(new OwnKey(x509))
      case other                 => throw new IllegalStateException(s"$other is no certificate")
    }
  }

  /** Shows that certificate to everybody who asks for one, whoever is to have issued it. */
  private final class OwnKey(certificate: X509Certificate) extends X509ExtendedKeyManager {
    private def own(kind: String): String = if (kind == "RSA") "own" else null

    def getClientAliases(kind: String, issuers: Array[Principal]): Array[String] = Array("own")
    def getServerAliases(kind: String, issuers: Array[Principal]): Array[String] = Array("own")
    def chooseClientAlias(kinds: Array[String], issuers: Array[Principal], socket: Socket): String =
      pick(kinds)
    def chooseServerAlias(kind: String, issuers: Array[Principal], socket: Socket): String = own(kind)
    def getCertificateChain(alias: String): Array[X509Certificate] = Array(certificate)
    def getPrivateKey(alias: String): PrivateKey                   = key
    override def chooseEngineServerAlias(kind: String, issuers: Array[Principal], engine: SSLEngine) =
      own(kind)
    override def chooseEngineClientAlias(kinds: Array[String], issuers: Array[Principal], engine: SSLEngine) =
      pick(kinds)

    private def pick(kinds: Array[String]): String = kinds.map(own).find(_ != null).orNull
  }

  private object Everybody extends X509ExtendedTrustManager {
    def checkClientTrusted(chain: Array[X509Certificate], kind: String): Unit                    = ()
    def checkServerTrusted(chain: Array[X509Certificate], kind: String): Unit                    = ()
    def checkClientTrusted(chain: Array[X509Certificate], kind: String, socket: Socket): Unit    = ()
    def checkServerTrusted(chain: Array[X509Certificate], kind: String, socket: Socket): Unit    = ()
    def checkClientTrusted(chain: Array[X509Certificate], kind: String, engine: SSLEngine): Unit = ()
    def checkServerTrusted(chain: Array[X509Certificate], kind: String, engine: SSLEngine): Unit = ()
    def getAcceptedIssuers: Array[X509Certificate]                                               = Array.empty
  }
}
