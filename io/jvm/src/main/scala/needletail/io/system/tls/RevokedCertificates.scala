package needletail.io.system.tls

import java.nio.file.Path
import java.security.cert.CertPathValidatorException.BasicReason
import java.security.cert.{
  CRLReason,
  CertPathValidatorException,
  CertificateRevokedException,
  PKIXCertPathChecker,
  X509CRL,
  X509CRLEntry,
  X509Certificate
}
import java.util.{Arrays, Collections}

import scala.jdk.CollectionConverters.*

import needletail.io.tls.RevocationLists

/**
 * Lists of revoked certificates. A certificate is accepted if the newest list of its issuer's that counts has not expired,
 * and has it not (RFC 5280 section 6.3, without distribution points, delta and indirect lists).
 */
private[tls] final class RevokedCertificates(lists: Seq[X509CRL]) {
  import RevokedCertificates.*

  private val understood = lists.filterNot(hasForbiddenEntry)
  private val counting   = understood.filter(isOfAll)

  /** When those that count do so. */
  val dated: Seq[RevocationLists.Dated] =
    for (list <- counting; end <- Option(list.getNextUpdate))
      yield RevocationLists.Dated(
        kindOf(list),
        list.getThisUpdate.getTime,
        end.getTime,
        DistinguishedNames.text(list.getIssuerX500Principal)
      )

  /** The issuers whose lists the certificates need that these have issued, or these themselves, and whether they count. */
  def needed(trusted: Seq[X509Certificate]): Seq[(String, Boolean)] =
    trusted.map(c => if (c.getBasicConstraints < 0) c.getIssuerX500Principal else c.getSubjectX500Principal)
      .map(name => (DistinguishedNames.text(name), counting.exists(_.getIssuerX500Principal == name)))

  /**
   * Throws CertPathValidatorException if the certificate is not accepted.
   *
   * @param issuers who may have signed its issuer's list, each by the certificate; None: anybody, as the issuer is unknown
   */
  def check(certificate: X509Certificate, issuers: Option[Seq[X509Certificate]]): Unit = {
    val now   = System.currentTimeMillis
    val named = understood.filter { list =>
      list.getIssuerX500Principal == certificate.getIssuerX500Principal && covers(list, certificate)
    }
    val begun = named.filter(list => RevocationLists.hasBegun(list.getThisUpdate.getTime, now))
    val its   = begun.filter(list => issuers.forall(_.exists(hasSigned(_, list))))
    // lists of an unknown issuer may be of several authorities
    def isReplaced(list: X509CRL): Boolean = its.exists { other =>
      madeAt(other) > madeAt(list) && (issuers.nonEmpty || kindOf(other).replaces(kindOf(list)))
    }
    val present = its.filter(list => !hasExpired(list, now) && !isReplaced(list))
    if (present.isEmpty) {
      val issuer = DistinguishedNames.text(certificate.getIssuerX500Principal)
      val isOver = its.nonEmpty || begun.nonEmpty && begun.forall(hasExpired(_, now))
      throw new NoList(
        if (named.isEmpty) RevocationLists.missing(issuer)
        else if (isOver) RevocationLists.expired(issuer)
        else RevocationLists.invalid(issuer)
      )
    }
    // by the number alone: with the certificate the JDK compares the issuers' names letter by letter (RFC 5280 section 7.1)
    for (list <- present; entry <- Option(list.getRevokedCertificate(certificate.getSerialNumber))) {
      val cause = revoked(certificate, entry)
      throw new CertPathValidatorException(cause.getMessage, cause, null, -1, BasicReason.REVOKED)
    }
  }

  private def revoked(certificate: X509Certificate, entry: X509CRLEntry) = new CertificateRevokedException(
    entry.getRevocationDate,
    Option(entry.getRevocationReason).getOrElse(CRLReason.UNSPECIFIED),
    certificate.getIssuerX500Principal,
    Collections.emptyMap
  )

  /**
   * Checks the certificates of a path with it. The JDK's own checker must not: where no list counts, it loads others from
   * the network, whatever the certificate says of where they are, and searches for other keys that may have signed one,
   * which takes seconds.
   */
  def checker(
      trusted: Seq[X509Certificate],
      refused: CertPathValidatorException => Unit
  ): PKIXCertPathChecker =
    new PathChecker(this, trusted, refused)
}

private[tls] object RevokedCertificates {

  /** Those of a file, of which at least one must count, and each that does must say when the next one comes. */
  def read(file: Path): RevokedCertificates = {
    val lists = new RevokedCertificates(Pem.revocations(file))
    if (lists.counting.isEmpty) throw RevocationLists.noneCounts(file)
    if (lists.counting.exists(_.getNextUpdate eq null)) throw RevocationLists.endless(file)
    lists
  }

  /** No list says whether a certificate was revoked, as the message explains. */
  final class NoList(why: String)
      extends CertPathValidatorException(why, null, null, -1, BasicReason.UNDETERMINED_REVOCATION_STATUS)

  private def madeAt(list: X509CRL): Long = list.getThisUpdate.getTime

  private def hasExpired(list: X509CRL, now: Long): Boolean = {
    val end = list.getNextUpdate
    (end eq null) || end.getTime <= now
  }

  /** What lists have in common that follow each other: the issuer, its key and what they are of. */
  private def kindOf(list: X509CRL): RevocationLists.Kind = RevocationLists.Kind(
    list.getIssuerX500Principal,
    Option(list.getExtensionValue(AuthorityKey)).fold(Seq.empty[Byte])(_.toSeq),
    ofUsers = covers(list, OnlyUsers),
    ofAuthorities = covers(list, OnlyAuthorities)
  )

  /**
   * An entry with a critical extension may be of another issuer's certificate (RFC 5280 section 5.3): so may others. One
   * that takes a certificate off the list (section 5.3.1) is of a list of changes, and says nothing in a complete one.
   */
  private def hasForbiddenEntry(list: X509CRL): Boolean =
    Option(list.getRevokedCertificates).exists(_.asScala.exists { entry =>
      val critical = entry.getCriticalExtensionOIDs
      (critical ne null) && !critical.isEmpty || entry.getRevocationReason == CRLReason.REMOVE_FROM_CRL
    })

  /** Whether the list is of all certificates, or of all of one kind. */
  private def isOfAll(list: X509CRL): Boolean = covers(list, OnlyUsers) || covers(list, OnlyAuthorities)

  private def covers(list: X509CRL, certificate: X509Certificate): Boolean =
    covers(list, if (certificate.getBasicConstraints < 0) OnlyUsers else OnlyAuthorities)

  /**
   * Whether the list is of all certificates, or of all of this kind, and not of changes only; whether or not what says so
   * is critical, as it must be.
   */
  private def covers(list: X509CRL, kind: Array[Byte]): Boolean = {
    val others =
      Option(list.getCriticalExtensionOIDs).fold(Set.empty[String])(_.asScala.toSet) - DistributionPoint
    val scope = list.getExtensionValue(DistributionPoint)
    others.isEmpty && (list.getExtensionValue(DeltaIndicator) eq null) &&
    ((scope eq null) || Arrays.equals(scope, kind))
  }

  private final val DeltaIndicator = "2.5.29.27"

  private final val AuthorityKey = "2.5.29.35"

  /** RFC 5280 section 5.2.5; in an octet string, onlyContainsUserCerts or onlyContainsCACerts and nothing else. */
  private final val DistributionPoint = "2.5.29.28"
  private val OnlyUsers               = Array[Byte](4, 5, 0x30, 3, 0x81.toByte, 1, -1)
  private val OnlyAuthorities         = Array[Byte](4, 5, 0x30, 3, 0x82.toByte, 1, -1)

  private def hasSigned(issuer: X509Certificate, list: X509CRL): Boolean = {
    val uses = issuer.getKeyUsage
    ((uses eq null) || uses(CrlSign)) && Certificates.isBy(issuer)(list.verify(_))
  }

  private final val CrlSign = 6

  private final class PathChecker(
      lists: RevokedCertificates,
      trusted: Seq[X509Certificate],
      refused: CertPathValidatorException => Unit
  ) extends TrustedFirstChecker(refused) {
    private var issuer: X509Certificate = null // the certificate before

    protected def begin(): Unit = issuer = null

    protected def check(own: X509Certificate): Unit = {
      lists.check(own, Some(if (issuer eq null) Certificates.issuers(own, trusted) else Seq(issuer)))
      issuer = own
    }
  }
}
