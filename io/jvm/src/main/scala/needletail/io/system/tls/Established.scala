package needletail.io.system.tls

import java.io.IOException
import java.security.cert.X509Certificate
import javax.net.ssl.{ExtendedSSLSession, SSLEngine, SSLPeerUnverifiedException}

import needletail.async.Survivable
import needletail.io.dns.AddressText
import needletail.io.tls.{CertificateInfo, CertificateText, TlsClientConfig, TlsRefusal, TlsSession}

/**
 * What an engine's handshake has established, and what is checked of it when it is over, besides what the JDK has.
 *
 * `chosen` is when the engine began to choose a session, in milliseconds since 1970.
 */
private[tls] object Established {

  /** @param nanos how long the handshake took */
  def session(engine: SSLEngine, name: String, isServer: Boolean, chosen: Long, nanos: Long): TlsSession = {
    val session = engine.getSession
    val asked   = session match {
      case extended: ExtendedSSLSession if isServer => ServerKeys.nameIn(extended)
      case _ if !isServer                           => name
      case _                                        => null
    }
    val protocol = engine.getApplicationProtocol
    TlsSession(
      session.getProtocol,
      session.getCipherSuite,
      if (protocol eq null) "" else protocol,
      if (asked eq null) "" else asked,
      peer(engine),
      isResumed(engine, chosen),
      nanos
    )
  }

  /**
   * A session that is resumed is older than its choice, by a client when it begins and by a server when it has all of
   * the client's greeting: nothing else tells it.
   */
  def mayBeResumed(engine: SSLEngine, chosen: Long): Boolean =
    isOlder(engine.getSession.getCreationTime, chosen, System.currentTimeMillis)

  /** The same for engines that know a session's age in whole seconds only, like Conscrypt's. */
  private def isResumed(engine: SSLEngine, chosen: Long): Boolean = {
    val made = engine.getSession.getCreationTime
    isOlder(made, if (made % 1000 == 0) chosen - chosen % 1000 else chosen, System.currentTimeMillis)
  }

  /**
   * Whether a session was made before a handshake that began at `begun`. One from the future was: the clock has been set
   * back since.
   */
  def isOlder(made: Long, begun: Long, now: Long): Boolean = made < begun || made > now

  /** A server's own check, of a session that may be resumed, whose certificate may have expired since. */
  def checkAgain(engine: SSLEngine, name: String, check: CertificateInfo => Boolean): Unit = {
    val shown = peer(engine)
    val owner = shown.fold(name)(CertificateText.owner(name, _))
    if (shown.exists(_.notAfter < System.currentTimeMillis))
      throw TlsRefusal.ofCertificate(TlsRefusal.Expired, s"the certificate of $owner has expired")
    def refusal(more: String, cause: Throwable) = {
      val text = s"the certificate of $owner is not accepted: ${TlsFailure.Refused}$more"
      TlsRefusal.ofCertificate(TlsRefusal.OwnCheck, text, cause)
    }
    val isAccepted =
      try shown.forall(check)
      catch { case Survivable(e) => throw refusal(s", which threw $e", e) }
    if (!isAccepted) throw refusal("", null)
  }

  /** Whether the certificate is for `name` by a DNS name: see `names` of [[HandshakingSocket]]. */
  def checkNames(engine: SSLEngine, name: String): Unit =
    if ((AddressText.parse(name) eq null) && !AddressText.isScoped(name)) {
      val own = peer(engine).toSeq.flatMap(_.names).filter(_.startsWith("DNS:")).map(_.drop("DNS:".length))
      if (own.isEmpty) throw misnamed(name, TlsClientConfig.Nameless)
      if (!own.exists(HostNames.isFor(_, name)))
        throw misnamed(
          name,
          if (own.exists(HostNames.isMisplaced)) TlsClientConfig.Misplaced
          else s"it is for ${own.mkString(", ")}"
        )
    }

  private def misnamed(name: String, why: String): IOException =
    TlsRefusal.ofCertificate(TlsRefusal.Misnamed, s"the certificate is not for $name: $why")

  private def peer(engine: SSLEngine): Option[CertificateInfo] =
    try
      engine.getSession.getPeerCertificates.headOption.collect {
        case certificate: X509Certificate => Certificates.info(certificate)
      }
    catch { case _: SSLPeerUnverifiedException => None }
}
