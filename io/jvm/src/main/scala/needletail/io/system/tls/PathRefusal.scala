package needletail.io.system.tls

import java.security.cert.CertPathValidatorException.BasicReason
import java.security.cert.{CertPathValidatorException, PKIXReason, X509Certificate}

import needletail.io.tls.CertificateText

/**
 * A path is not trusted, for a reason in words.
 *
 * @param about as in TlsRefusal
 */
private[tls] final class PathRefusal(text: String, val about: String)
    extends CertPathValidatorException(text, null, null, -1, BasicReason.UNSPECIFIED)

private[tls] object PathRefusal {

  /** Why a path is not trusted, if it is known in words: in those of this side or, by its reason, of the JDK's. */
  def wrong(e: CertPathValidatorException): Option[String] = e match {
    case own: PathRefusal => Some(own.getMessage)
    case _                =>
      e.getReason match {
        case BasicReason.EXPIRED | BasicReason.NOT_YET_VALID => authority(e).map(AuthorityDates.text)
        case PKIXReason.INVALID_NAME  => Some(CertificateText.unpermitted(authority(e).map(nameOf)))
        case PKIXReason.PATH_TOO_LONG => Some(CertificateText.PathTooLong)
        case PKIXReason.NOT_CA_CERT   => authority(e).map(one => CertificateText.mayNotIssue(nameOf(one)))
        case _                        => None
      }
  }

  def nameOf(one: X509Certificate): String = DistinguishedNames.text(one.getSubjectX500Principal)

  /** The one in the path that it is about, unless that is the peer's own. */
  private def authority(e: CertPathValidatorException): Option[X509Certificate] =
    if ((e.getCertPath eq null) || e.getIndex <= 0) None
    else
      e.getCertPath.getCertificates.get(e.getIndex) match {
        case one: X509Certificate => Some(one)
        case _                    => None
      }
}
