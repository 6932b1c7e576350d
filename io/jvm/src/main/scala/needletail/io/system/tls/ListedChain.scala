package needletail.io.system.tls

import java.security.cert.CertPathValidatorException.BasicReason
import java.security.cert.{X509CRL, X509Certificate}
import java.util.Date
import javax.security.auth.x500.X500Principal

import scala.annotation.tailrec

/**
 * The certificates of a chain that can be checked against lists of revoked ones. The JDK must not see others: where the
 * list is missing on which an intermediate authority would be, the JDK searches for other keys that may have signed one,
 * which takes seconds and ends in a StackOverflowError.
 */
private[tls] object ListedChain {

  /**
   * The certificates of `chain` that are trusted or whose issuer has a list; all of them if there is no path to a
   * trusted one, which is then the error. Throws CertificateException if such a path needs others.
   */
  def of(trusted: Set[X509Certificate], lists: Seq[X509CRL])(
      chain: Array[X509Certificate]
  ): Array[X509Certificate] = {
    val now     = System.currentTimeMillis
    val issuers = lists.filter(isUsable(_, now)).map(_.getIssuerX500Principal).toSet
    val listed  = chain.filter(c => trusted(c) || issuers(c.getIssuerX500Principal))
    if (listed.length == chain.length || !isRooted(trusted, chain(0), chain)) chain
    else if (listed.headOption.contains(chain(0)) && isRooted(trusted, chain(0), listed)) listed
    else
      DirectTrust.refuse("there is no list of an issuer's", BasicReason.UNDETERMINED_REVOCATION_STATUS)
  }

  /** As the JDK takes them, but for those that have just expired. */
  private def isUsable(list: X509CRL, now: Long): Boolean = {
    val end = list.getNextUpdate
    (end ne null) && end.getTime > now && !list.getThisUpdate.after(new Date(now + ClockSkew))
  }

  /** Whether `own` leads to a trusted certificate over `others`, by the names of subjects and issuers. */
  private def isRooted(
      trusted: Set[X509Certificate],
      own: X509Certificate,
      others: Array[X509Certificate]
  ): Boolean = {
    val ends = trusted.map(_.getSubjectX500Principal)

    @tailrec
    def go(issuers: Set[X500Principal], left: Array[X509Certificate]): Boolean = {
      val (found, rest) = left.partition(c => issuers(c.getSubjectX500Principal))
      issuers.exists(ends) || found.nonEmpty && go(found.map(_.getIssuerX500Principal).toSet, rest)
    }
    trusted(own) || go(Set(own.getIssuerX500Principal), others)
  }

  private final val ClockSkew = 15 * 60 * 1000L
}
