package needletail.io.system.tls

import java.net.Socket
import java.nio.charset.StandardCharsets.US_ASCII
import java.security.cert.X509Certificate
import java.security.{Principal, PrivateKey}
import java.util.Locale.ROOT
import javax.net.ssl.{
  ExtendedSSLSession,
  SNIHostName,
  SNIMatcher,
  SNIServerName,
  SSLEngine,
  StandardConstants,
  X509ExtendedKeyManager
}

import scala.jdk.CollectionConverters.*

import needletail.io.tls.{KeyFaults, TlsCertificate}

/** The certificates of a server, chosen by the name that a client requests and the kinds of keys that it accepts. */
private[io] final class ServerKeys private (keys: Vector[ServerKeys.Key]) extends X509ExtendedKeyManager {
  import ServerKeys.*

  /** The first certificate of each chain. */
  def certificates: Seq[X509Certificate] = keys.map(_.chain.head)

  /** Whether there is a certificate for that name, which is in lower case. */
  def has(host: String): Boolean = keys.exists(key => key.isExactly(host) || key.isWildcardFor(host))

  /** The keys for a name in the order of precedence; for an unknown name and for none (null), those of the default. */
  private def forName(host: String): Vector[Key] =
    if (host eq null) defaults
    else {
      val exact = keys.filter(_.isExactly(host))
      if (exact.nonEmpty) exact
      else {
        val wild = keys.filter(_.isWildcardFor(host))
        if (wild.nonEmpty) wild else defaults
      }
    }

  /** The first certificate, and others for the same names with other kinds of keys. */
  private val defaults: Vector[Key] =
    keys.filter(key => (key eq keys.head) || key.hosts.toSet == keys.head.hosts.toSet)

  override def chooseEngineServerAlias(kind: String, issuers: Array[Principal], engine: SSLEngine): String =
    forName(requested(engine)).find(_.kind == kindOf(kind)).fold(null: String)(_.alias)

  private def requested(engine: SSLEngine): String = engine.getHandshakeSession match {
    case session: ExtendedSSLSession => nameIn(session)
    case _                           => null
  }

  private def find(alias: String): Option[Key] = keys.find(_.alias == alias)

  def getCertificateChain(alias: String): Array[X509Certificate] =
    find(alias).fold(null: Array[X509Certificate])(_.chain.toArray)
  def getPrivateKey(alias: String): PrivateKey = find(alias).fold(null: PrivateKey)(_.secret)

  def getServerAliases(kind: String, issuers: Array[Principal]): Array[String] =
    keys.filter(_.kind == kindOf(kind)).map(_.alias).toArray

  // As a client it has the certificate that it was made with, if a server accepts its kind of key.

  override def chooseEngineClientAlias(
      kinds: Array[String],
      issuers: Array[Principal],
      engine: SSLEngine
  ): String =
    keys.find(key => kinds.exists(kind => kindOf(kind) == key.kind)).fold(null: String)(_.alias)

  def getClientAliases(kind: String, issuers: Array[Principal]): Array[String] =
    getServerAliases(kind, issuers)

  // Those for blocking sockets are never asked.
  def chooseServerAlias(kind: String, issuers: Array[Principal], socket: Socket): String         = null
  def chooseClientAlias(kinds: Array[String], issuers: Array[Principal], socket: Socket): String = null
}

private[io] object ServerKeys {

  /** Reads certificates and their keys, at least one. Throws an IOException that names the file and the error. */
  def read(files: Seq[TlsCertificate]): ServerKeys =
    new ServerKeys(files.iterator.zipWithIndex.map { case (f, i) =>
      val chain = Pem.certificates(f.chain)
      for (certificate <- chain) {
        KeyStrength.of(certificate.getPublicKey).foreach(why => throw KeyFaults.weak(f.chain, why))
        if (!isSelfIssued(certificate))
          KeyStrength.ofSignature(certificate).foreach(why => throw KeyFaults.weakSignature(f.chain, why))
      }
      new Key(i.toString, chain, PrivateKeys.read(f, chain.head))
    }.toVector)

  /** Whether it says that it is signed by itself: nobody asks how. */
  private def isSelfIssued(certificate: X509Certificate): Boolean =
    certificate.getSubjectX500Principal == certificate.getIssuerX500Principal

  /** The name that the client requests, in lower case; null if none. */
  def nameIn(session: ExtendedSSLSession): String =
    session.getRequestedServerNames.asScala.collectFirst {
      case host: SNIHostName => host.getAsciiName.toLowerCase(ROOT)
    }.orNull

  /**
   * Accepts names in ASCII that are no longer than a name can be (RFC 6066 section 3), and if `isKnown` only those that
   * there is a certificate for. Others get the alert unrecognized_name; the engine rejects invalid host names.
   */
  final class Matcher(keys: ServerKeys, isKnown: Boolean)
      extends SNIMatcher(StandardConstants.SNI_HOST_NAME) {
    @volatile private var unknown = "" // the name that was refused last, as no certificate is for it

    def matches(name: SNIServerName): Boolean = {
      val encoded = name.getEncoded
      encoded.length <= 255 && encoded.forall(_ >= 0) && (!isKnown || {
        val host  = new String(encoded, US_ASCII)
        val isOne = keys.has(host.toLowerCase(ROOT))
        if (!isOne) unknown = host
        isOne
      })
    }

    /** Why it has refused a name: that of the client, if it is one engine's. */
    def reason: String =
      if (unknown.isEmpty) "it requests a name that no host can have"
      else s"it requests the name ${unknown.take(60)}, which no certificate is for"
  }

  /** `EC_EC`, `EC_RSA` and so on include the issuer's kind of key, which does not matter here. */
  private def kindOf(name: String): String = name match {
    case "Ed25519" | "Ed448" => "EdDSA"
    case other               => other.takeWhile(_ != '_')
  }

  private final class Key(val alias: String, val chain: Vector[X509Certificate], val secret: PrivateKey) {
    val kind: String       = kindOf(chain.head.getPublicKey.getAlgorithm)
    val hosts: Seq[String] = Certificates.hosts(chain.head)

    def isExactly(host: String): Boolean = hosts.contains(host)

    def isWildcardFor(host: String): Boolean = {
      val dot = host.indexOf('.')
      dot > 0 && hosts.contains("*" + host.substring(dot))
    }
  }
}
