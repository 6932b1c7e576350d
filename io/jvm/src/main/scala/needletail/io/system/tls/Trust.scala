package needletail.io.system.tls

import java.io.IOException
import java.net.Socket
import java.security.cert.{
  CertPathBuilder,
  CertPathValidatorException,
  CertStore,
  CertificateException,
  CollectionCertStoreParameters,
  PKIXBuilderParameters,
  PKIXCertPathBuilderResult,
  PKIXCertPathChecker,
  TrustAnchor,
  X509CertSelector,
  X509Certificate
}
import java.security.{GeneralSecurityException, KeyStore}
import java.util
import javax.net.ssl.{
  CertPathTrustManagerParameters,
  SSLEngine,
  TrustManager,
  TrustManagerFactory,
  X509ExtendedTrustManager
}

import scala.jdk.CollectionConverters.*

/** Who is trusted. */
private[io] object Trust {

  /** The JDK's trust store, for peers with one of these keys in their path, if there are any. Takes time. */
  def system(pins: Set[String] = Set.empty): X509ExtendedTrustManager = {
    val factory = TrustManagerFactory.getInstance("PKIX")
    factory.init(null: KeyStore)
    val all     = manager(factory)
    val trusted = all.getAcceptedIssuers
    val direct  = DirectTrust.check(trusted.toSet, None) _
    val paths   = new PathStrength(trusted)
    new Checked(
      all,
      (chain, attempt) => {
        direct(chain, attempt.purpose)
        paths.check(chain, attempt.purpose)
        if (pins.nonEmpty) checkPins(pins, paths.find(chain, attempt.purpose))
      }
    )
  }

  /**
   * The issuers that are given, with lists of revoked certificates if there are any, for peers with one of these keys in
   * their path, if there are any.
   */
  def of(
      authorities: Seq[X509Certificate],
      lists: Option[RevokedCertificates],
      pins: Set[String] = Set.empty
  ): X509ExtendedTrustManager =
    try {
      val anchors    = authorities.map(new TrustAnchor(_, null)).toSet.asJava
      val parameters = new PKIXBuilderParameters(anchors, new X509CertSelector)
      val present    = new ThreadLocal[Attempt]
      def refused(e: CertPathValidatorException): Unit = present.get.refusal = e
      val checkers                                     = Seq(
        PathStrength.checker(authorities, refused),
        AuthorityDates.checker(authorities, refused),
        AuthorityLimits.checker(authorities, () => present.get, isMarked = true)
      ) ++ lists.map(_.checker(authorities, refused)) :+ Attempt.keeper(() => present.get)
      parameters.setRevocationEnabled(false) // by the JDK
      checkers.foreach(parameters.addCertPathChecker(_))
      val factory = TrustManagerFactory.getInstance("PKIX")
      factory.init(new CertPathTrustManagerParameters(parameters))
      val trusted = authorities.toSet
      val direct  = DirectTrust.check(trusted, lists) _

      /** The JDK takes whoever has name and key of a trusted one for that, whatever else the certificate says. */
      def verifiedPath(chain: Array[X509Certificate], attempt: Attempt): Seq[X509Certificate] =
        if (trusted(chain(0))) Seq(chain(0))
        else if (attempt.path.isEmpty) sought(chain, authorities.toArray, checkers, attempt)
        else Certificates.issuers(attempt.path.head, authorities) ++ attempt.path
      new Checked(
        manager(factory),
        (chain, attempt) => {
          val path = verifiedPath(chain, attempt)
          direct(chain, attempt.purpose)
          if (pins.nonEmpty) checkPins(pins, path)
        },
        present
      )
    } catch {
      case e: GeneralSecurityException => throw new IOException(s"TLS is not available: ${Pem.line(e)}", e)
    }

  private def manager(factory: TrustManagerFactory): X509ExtendedTrustManager =
    factory.getTrustManagers.collectFirst { case m: X509ExtendedTrustManager => m }
      .getOrElse(throw new IOException("TLS is not available: the JDK has no trust manager"))

  /** Trusts the peers that `inner` trusts, unless `check` throws a CertificateException for the chain that the peer sent. */
  def also(inner: X509ExtendedTrustManager)(check: Array[X509Certificate] => Unit): X509ExtendedTrustManager =
    new Checked(inner, (chain, _) => check(chain))

  /** Trusts everybody. */
  def everybody: TrustManager = new Everybody

  /** Trusts nobody, for a server that requests no certificates. */
  def nobody: TrustManager =
    also(new Everybody)(_ => throw new CertificateException("no certificate was requested"))

  private def checkPins(pins: Set[String], path: Seq[X509Certificate]): Unit =
    if (!path.exists(one => pins(Certificates.pin(one)))) throw new CertificateException(TlsFailure.NotPinned)

  /** As `path`, of an attempt. Throws CertificateException with the reason if there is none. */
  private[tls] def sought(
      chain: Array[X509Certificate],
      trusted: Array[X509Certificate],
      checkers: Seq[PKIXCertPathChecker],
      attempt: Attempt
  ): Seq[X509Certificate] =
    try path(chain, trusted, checkers)
    catch {
      case e: GeneralSecurityException =>
        throw if (attempt.refusal eq null) new CertificateException(TlsFailure.Unknown, e)
        else new CertificateException(attempt.refusal)
    }

  /**
   * The path by which a peer is trusted, including the trusted certificate. The peer may have sent others, or not the
   * last. Throws GeneralSecurityException if there is none that all `checkers` accept.
   */
  private def path(
      chain: Array[X509Certificate],
      trusted: Array[X509Certificate],
      checkers: Seq[PKIXCertPathChecker]
  ): Seq[X509Certificate] =
    if (trusted.contains(chain(0))) Seq(chain(0))
    else {
      val wanted = new X509CertSelector
      wanted.setCertificate(chain(0))
      val parameters = new PKIXBuilderParameters(trusted.map(new TrustAnchor(_, null)).toSet.asJava, wanted)
      parameters.setRevocationEnabled(false) // the trust manager has looked
      checkers.foreach(parameters.addCertPathChecker(_))
      val sent = new CollectionCertStoreParameters(util.Arrays.asList(chain*))
      parameters.addCertStore(CertStore.getInstance("Collection", sent))
      CertPathBuilder.getInstance("PKIX").build(parameters) match {
        case found: PKIXCertPathBuilderResult =>
          found.getTrustAnchor.getTrustedCert +: found.getCertPath.getCertificates.asScala.toSeq.collect {
            case c: X509Certificate => c
          }
        case _ => Nil
      }
    }

  /**
   * @param check   what follows
   * @param present for the checkers of paths that `inner` has
   */
  private final class Checked(
      inner: X509ExtendedTrustManager,
      check: (Array[X509Certificate], Attempt) => Unit,
      present: ThreadLocal[Attempt] = new ThreadLocal
  ) extends X509ExtendedTrustManager {
    private type Chain = Array[X509Certificate]
    private def around(chain: Chain, purpose: Purpose)(trust: Chain => Unit): Unit =
      try {
        val attempt = new Attempt(chain(0), purpose)
        present.set(attempt)
        try {
          try trust(chain)
          catch {
            case e: CertificateException =>
              throw if (attempt.refusal eq null) e else new CertificateException(attempt.refusal)
          }
          check(chain, attempt)
        } finally present.remove()
      } catch { case e: CertificateException => throw TlsFailure.showing(e, chain(0)) }
    private def client(chain: Chain)(trust: Chain => Unit): Unit = around(chain, Purpose.Client)(trust)
    private def server(chain: Chain)(trust: Chain => Unit): Unit = around(chain, Purpose.Server)(trust)

    def checkClientTrusted(c: Chain, kind: String): Unit = client(c)(inner.checkClientTrusted(_, kind))
    def checkServerTrusted(c: Chain, kind: String): Unit = server(c)(inner.checkServerTrusted(_, kind))
    def checkClientTrusted(c: Chain, kind: String, s: Socket): Unit =
      client(c)(inner.checkClientTrusted(_, kind, s))
    def checkServerTrusted(c: Chain, kind: String, s: Socket): Unit =
      server(c)(inner.checkServerTrusted(_, kind, s))
    def checkClientTrusted(c: Chain, kind: String, e: SSLEngine): Unit =
      client(c)(inner.checkClientTrusted(_, kind, e))
    def checkServerTrusted(c: Chain, kind: String, e: SSLEngine): Unit =
      server(c)(inner.checkServerTrusted(_, kind, e))
    def getAcceptedIssuers: Chain = inner.getAcceptedIssuers
  }

  private final class Everybody extends X509ExtendedTrustManager {
    private type Chain = Array[X509Certificate]
    def checkClientTrusted(c: Chain, kind: String): Unit               = ()
    def checkServerTrusted(c: Chain, kind: String): Unit               = ()
    def checkClientTrusted(c: Chain, kind: String, s: Socket): Unit    = ()
    def checkServerTrusted(c: Chain, kind: String, s: Socket): Unit    = ()
    def checkClientTrusted(c: Chain, kind: String, e: SSLEngine): Unit = ()
    def checkServerTrusted(c: Chain, kind: String, e: SSLEngine): Unit = ()
    def getAcceptedIssuers: Chain                                      = Array.empty
  }
}
