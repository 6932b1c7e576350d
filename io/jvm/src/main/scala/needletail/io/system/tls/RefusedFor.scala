package needletail.io.system.tls

import java.io.IOException
import java.security.cert.CertPathValidatorException.BasicReason
import java.security.cert.{
  CertPathValidatorException,
  CertificateException,
  CertificateExpiredException,
  CertificateNotYetValidException,
  CertificateRevokedException
}

import needletail.io.tls.{HandshakeFailure, TlsRefusal}

/** What the engine's exceptions say that a handshake was refused for. */
private[tls] object RefusedFor {

  /**
   * @param all  an exception of the engine, and its causes
   * @param said their messages
   * @param text what is to be said of them
   */
  def failure(all: Vector[Throwable], said: Vector[String], text: String): IOException = {
    val about = certificate(all, said)
    def alert = said.find(_.contains("Received fatal alert"))
    if (about ne null) TlsRefusal.ofCertificate(about, text, all.head)
    else if (alert.isDefined) TlsRefusal.byAlert(alert.get, text, all.head)
    else if (text == HandshakeFailure.NoVersion) TlsRefusal.ofClient(TlsRefusal.Version, text, all.head)
    else if (said.exists(_.contains("Unrecognized server name indication")))
      TlsRefusal.ofClient(TlsRefusal.Name, text, all.head)
    else new IOException(text, all.head)
  }

  /** What is wrong with a certificate; null if nothing is. */
  private def certificate(all: Vector[Throwable], said: Vector[String]): String = {
    def has(text: String) = said.exists(_.contains(text))
    all.collectFirst {
      case e: PathRefusal                     => e.about
      case _: CertificateExpiredException     => TlsRefusal.Expired
      case _: CertificateNotYetValidException => TlsRefusal.Early
      case _: CertificateRevokedException     => TlsRefusal.Revoked
      case e: CertPathValidatorException if e.getReason == BasicReason.UNDETERMINED_REVOCATION_STATUS =>
        TlsRefusal.Unchecked
      case e: CertPathValidatorException if e.getReason == BasicReason.ALGORITHM_CONSTRAINED =>
        TlsRefusal.Weak
    }.getOrElse {
      if (has(TlsFailure.NotPinned)) TlsRefusal.NotPinned
      else if (has(TlsFailure.Refused)) TlsRefusal.OwnCheck
      else if (has("PKIX path building failed") || has("No trusted certificate")) TlsRefusal.Untrusted
      else if (has("No name matching") || has("subject alternative")) TlsRefusal.Misnamed
      else if (has("Empty client certificate chain")) TlsRefusal.Missing
      else if (all.exists(isOfPath)) TlsRefusal.Invalid
      else null
    }
  }

  private def isOfPath(e: Throwable): Boolean = e match {
    case _: CertificateException | _: CertPathValidatorException => true
    case _                                                       => false
  }
}
