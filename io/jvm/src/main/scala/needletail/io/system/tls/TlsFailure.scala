package needletail.io.system.tls

import java.io.IOException
import java.security.cert.{
  CertPathValidatorException,
  CertificateExpiredException,
  CertificateNotYetValidException,
  CertificateRevokedException
}
import javax.net.ssl.SSLException

import needletail.io.tls.{HandshakeFailure, TlsClientConfig}

/** Converts the engine's exceptions to ones whose messages describe the error. */
private[tls] object TlsFailure {

  final val NotPinned = "none of its keys is pinned"
  final val Refused   = "it was rejected by the server's own check"

  def of(e: SSLException, name: String): IOException = {
    val all            = causes(e)
    val said           = messages(all)
    def has(t: String) = said.exists(_.contains(t))
    val text           =
      reason(all, has).map(why => s"the certificate of $name $why").getOrElse {
        if (has("No name matching") || has("No subject alternative names present"))
          s"the certificate is not for $name: ${TlsClientConfig.Nameless}"
        else if (has("subject alternative"))
          s"the certificate is not for $name: ${said.last}"
        else if (has("nrecognized SSL message")) s"$name does not use TLS on that port"
        else if (has("Empty client certificate chain")) s"$name has shown no certificate"
        else if (has("Unrecognized server name indication"))
          s"no TLS with $name: it requests a name that no certificate is for"
        else if (said.headOption.exists(HandshakeFailure.isOfCertificate))
          s"no TLS with $name, which refuses the certificate that it was shown, or wants one: ${said.head}"
        else s"no TLS with $name: ${said.headOption.getOrElse(e.toString)}"
      }
    new IOException(text, e)
  }

  /** What a server's handshake that failed with it is counted as. */
  def kind(e: SSLException): HandshakeFailure = {
    val all            = causes(e)
    val said           = messages(all)
    def has(t: String) = said.exists(_.contains(t))
    if (reason(all, has).isDefined || has("Empty client certificate chain")) HandshakeFailure.Certificate
    else if (has("Received fatal alert")) HandshakeFailure.Alert
    else if (has("nrecognized SSL message")) HandshakeFailure.Plain
    else HandshakeFailure.Protocol
  }

  /** The problem with the peer's certificate, if that is the error. */
  private def reason(all: Vector[Throwable], has: String => Boolean): Option[String] =
    all.collectFirst {
      case _: CertificateExpiredException     => "has expired"
      case _: CertificateNotYetValidException => "is not valid yet"
      case _: CertificateRevokedException     => "was revoked"
      case e: CertPathValidatorException
          if e.getReason == CertPathValidatorException.BasicReason.UNDETERMINED_REVOCATION_STATUS =>
        HandshakeFailure.NoList
      case e: CertPathValidatorException
          if e.getReason == CertPathValidatorException.BasicReason.ALGORITHM_CONSTRAINED =>
        s"is too weak: ${e.getMessage}"
    }.orElse {
      if (has(NotPinned)) Some(s"is not accepted: $NotPinned")
      else if (has(Refused))
        messages(all).find(_.startsWith(Refused)).orElse(Some(Refused)).map(why => s"is not accepted: $why")
      else if (has("PKIX path building failed") || has("No trusted certificate"))
        Some("is not trusted: its issuer is unknown")
      else if (has("path validation failed")) Some(s"is not trusted: ${all.last.getMessage}")
      else None
    }

  private def causes(e: Throwable): Vector[Throwable] =
    Iterator.iterate(e)(_.getCause).takeWhile(_ ne null).take(8).toVector

  private def messages(all: Vector[Throwable]): Vector[String] = all.flatMap(c => Option(c.getMessage))
}
