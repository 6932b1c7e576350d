package needletail.io.system.tls

import java.io.IOException
import java.security.cert.{
  CertPathValidatorException,
  CertificateException,
  CertificateExpiredException,
  CertificateNotYetValidException,
  CertificateRevokedException,
  X509Certificate
}
import javax.net.ssl.{SSLEngine, SSLException}

import scala.jdk.CollectionConverters.*

import needletail.async.Survivable
import needletail.io.tls.{CertificateText, HandshakeFailure, RevocationLists, TlsClientConfig}

/** Converts the engine's exceptions to ones whose messages describe the error. */
private[tls] object TlsFailure {

  final val NotPinned = "none of its keys is pinned"
  final val Unknown   = "no path to a trusted certificate"
  final val Refused   = "it was rejected by the server's own check"

  /** @param server whose peer it is; null if the peer is the server */
  def of(e: SSLException, name: String, server: SSLEngine): IOException = {
    val isServer       = server ne null
    val all            = causes(e)
    val said           = messages(all)
    def has(t: String) = said.exists(_.contains(t))
    val text           =
      reason(all, has, if (isServer) Purpose.Client else Purpose.Server).map(why =>
        s"the certificate of ${owner(all, name, isServer)} $why"
      ).getOrElse {
        if (has("No name matching") || has("No subject alternative names present"))
          s"the certificate is not for $name: ${TlsClientConfig.Nameless}"
        else if (has("subject alternative"))
          s"the certificate is not for $name: ${said.last}"
        else if (has("nrecognized SSL message")) s"$name does not use TLS on that port"
        else if (has("Empty client certificate chain")) s"$name has shown no certificate"
        else if (has("Unrecognized server name indication"))
          s"no TLS with $name: ${unknownName(server)}"
        else if (isServer && said.exists(HandshakeFailure.isOfOwnCertificate))
          HandshakeFailure.notAccepted(said.find(HandshakeFailure.isOfOwnCertificate).mkString)
        else if (isServer && NoVersion.exists(has)) HandshakeFailure.NoVersion
        else if (said.headOption.exists(HandshakeFailure.isOfCertificate))
          s"no TLS with $name, which refuses the certificate that it was shown, or wants one: ${said.head}"
        else s"no TLS with $name: ${said.headOption.getOrElse(e.toString)}"
      }
    RefusedFor.failure(all, said, text)
  }

  /** What a server's handshake that failed with it is counted as. */
  def kind(e: SSLException): HandshakeFailure = {
    val all            = causes(e)
    val said           = messages(all)
    def has(t: String) = said.exists(_.contains(t))
    if (reason(all, has, Purpose.Client).isDefined || has("Empty client certificate chain"))
      HandshakeFailure.Certificate
    else if (has("Received fatal alert")) HandshakeFailure.Alert
    else if (has("nrecognized SSL message")) HandshakeFailure.Plain
    else HandshakeFailure.Protocol
  }

  private def unknownName(server: SSLEngine): String = {
    val matchers = if (server eq null) null else server.getSSLParameters.getSNIMatchers
    Option(matchers).toSeq.flatMap(_.asScala).collectFirst { case own: ServerKeys.Matcher => own.reason }
      .getOrElse("it requests a name that no certificate is for")
  }

  private val NoVersion =
    Seq("is not enabled or supported in server context", "are not accepted by server preferences")

  /** Has a client's certificate remembered with the exception by which it is refused. */
  def showing(e: CertificateException, shown: X509Certificate): CertificateException = {
    e.addSuppressed(new Shown(shown))
    e
  }

  private final class Shown(val certificate: X509Certificate) extends Exception(null, null, false, false)

  private def owner(all: Vector[Throwable], name: String, isServer: Boolean): String =
    try
      all.flatMap(_.getSuppressed).collectFirst { case shown: Shown if isServer => shown.certificate }
        .fold(name)(one => CertificateText.owner(name, Certificates.info(one)))
    catch { case Survivable(_) => name } // whatever it is that the client has shown

  /** The problem with the peer's certificate, if that is the error. */
  private def reason(all: Vector[Throwable], has: String => Boolean, purpose: Purpose): Option[String] =
    all.collect { case e: CertPathValidatorException => e }.flatMap(PathRefusal.wrong(_)).headOption
      .map(why => s"is not trusted: $why").orElse(byKind(all)).orElse {
        if (has(NotPinned)) Some(s"is not accepted: $NotPinned")
        else if (has(Refused))
          messages(all).find(_.startsWith(Refused)).orElse(Some(Refused)).map(why => s"is not accepted: $why")
        else if (has("PKIX path building failed") || has("No trusted certificate") || has(Unknown))
          Some("is not trusted: its issuer is unknown")
        else if (has("does not permit use for") || has("KeyUsage does not allow"))
          Some(s"is not trusted: ${CertificateText.notFor(purpose.peers, None)}")
        else if (has("path validation failed")) Some(s"is not trusted: ${all.last.getMessage}")
        else None
      }

  private def byKind(all: Vector[Throwable]): Option[String] =
    all.collectFirst {
      case _: CertificateExpiredException     => "has expired"
      case _: CertificateNotYetValidException => "is not valid yet"
      case _: CertificateRevokedException     => "was revoked"
      case e: CertPathValidatorException
          if e.getReason == CertPathValidatorException.BasicReason.UNDETERMINED_REVOCATION_STATUS =>
        RevocationLists.unchecked(e.getMessage)
      case e: CertPathValidatorException
          if e.getReason == CertPathValidatorException.BasicReason.ALGORITHM_CONSTRAINED =>
        s"is too weak: ${e.getMessage}"
    }

  private def causes(e: Throwable): Vector[Throwable] =
    Iterator.iterate(e)(_.getCause).takeWhile(_ ne null).take(8).toVector

  private def messages(all: Vector[Throwable]): Vector[String] = all.flatMap(c => Option(c.getMessage))
}
