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

  private val understood = lists.filterNot(hasForbiddenEntry).map(new RevocationList(_))
  private val counting   = understood.filter(list => isOfAll(list.crl))

  /** When those that count do so, which some of these certificates' keys may have signed. */
  def dated(trusted: Seq[X509Certificate]): Seq[RevocationLists.Dated] =
    for (list <- counting; end <- Option(list.crl.getNextUpdate))
      yield RevocationLists.Dated(
        kindOf(list, trusted),
        list.madeAt,
        end.getTime,
        DistinguishedNames.text(list.issuer)
      )

  /** The issuers whose lists the certificates need that these have issued, or these themselves, and whether they count. */
  def needed(trusted: Seq[X509Certificate]): Seq[(String, Boolean)] =
    trusted.map(c => if (c.getBasicConstraints < 0) c.getIssuerX500Principal else c.getSubjectX500Principal)
      .map(name => (DistinguishedNames.text(name), counting.exists(_.issuer == name)))

  /**
   * Throws CertPathValidatorException if the certificate is not accepted.
   *
   * @param issuers who have signed it, and may have signed its issuer's list
   */
  def check(certificate: X509Certificate, issuers: Seq[X509Certificate]): Unit = {
    val always = (_: RevocationList, _: RevocationList) => true
    judge(certificate, list => issuers.exists(list.isBy), always, always)
  }

  /**
   * The same of a certificate that is trusted itself, whose issuer need not be known: then its lists cannot be verified,
   * but they are this side's own. Those that a trusted authority of that name has signed are not its issuer's.
   *
   * @param sent by the peer, which may be its issuer's
   */
  def checkTrusted(
      certificate: X509Certificate,
      trusted: Iterable[X509Certificate],
      sent: Seq[X509Certificate]
  ): Unit = {
    def named(all: Iterable[X509Certificate]) =
      all.filter(_.getSubjectX500Principal == certificate.getIssuerX500Principal).toSeq
    val issuers = (named(trusted) ++ named(sent)).filter(Certificates.isBy(_)(certificate.verify(_)))
    if (issuers.nonEmpty) check(certificate, issuers)
    else {
      val others = named(trusted)
      judge(
        certificate,
        list => !others.exists(list.isBy),
        (list, other) => RevocationLists.mayBeSame(list.key, other.key),
        (list, other) => RevocationLists.areSame(list.key, other.key)
      )
    }
  }

  /**
   * It is accepted by a list that counts now, in whose place there may be no newer one, and that it is revoked counts until
   * there certainly is.
   *
   * @param isOf     whether a list may be its issuer's
   * @param mayBeOne whether two of these may be of one key
   * @param areOne   whether they are
   */
  private def judge(
      certificate: X509Certificate,
      isOf: RevocationList => Boolean,
      mayBeOne: (RevocationList, RevocationList) => Boolean,
      areOne: (RevocationList, RevocationList) => Boolean
  ): Unit = {
    val now   = System.currentTimeMillis
    val named = understood.filter { list =>
      list.issuer == certificate.getIssuerX500Principal && covers(list.crl, certificate)
    }
    val begun = named.filter(list => RevocationLists.hasBegun(list.madeAt, now))
    val its   = begun.filter(isOf)
    def isReplaced(list: RevocationList, isOne: (RevocationList, RevocationList) => Boolean): Boolean =
      its.exists(other => other.madeAt > list.madeAt && isOne(other, list))
    if (!its.exists(list => !list.hasExpired(now) && !isReplaced(list, mayBeOne))) {
      val issuer = DistinguishedNames.text(certificate.getIssuerX500Principal)
      val isOver = its.nonEmpty || begun.nonEmpty && begun.forall(_.hasExpired(now))
      throw new NoList(
        if (named.isEmpty) RevocationLists.missing(issuer)
        else if (isOver) RevocationLists.expired(issuer)
        else RevocationLists.invalid(issuer)
      )
    }
    // by the number alone: with the certificate the JDK compares the issuers' names letter by letter (RFC 5280 section 7.1)
    for (list <- its; entry <- Option(list.crl.getRevokedCertificate(certificate.getSerialNumber)))
      if (!isReplaced(list, areOne)) {
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
    if (lists.counting.exists(_.crl.getNextUpdate eq null)) throw RevocationLists.endless(file)
    lists
  }

  /** No list says whether a certificate was revoked, as the message explains. */
  final class NoList(why: String)
      extends CertPathValidatorException(why, null, null, -1, BasicReason.UNDETERMINED_REVOCATION_STATUS)

  /** What lists have in common that follow each other: the issuer, its key and what they are of. */
  private def kindOf(list: RevocationList, trusted: Seq[X509Certificate]): RevocationLists.Kind = {
    val signer = trusted.find(c => c.getSubjectX500Principal == list.issuer && list.isBy(c))
    RevocationLists.Kind(
      list.issuer,
      signer.fold(Seq.empty[Byte])(_.getPublicKey.getEncoded.toSeq),
      list.key,
      ofUsers = covers(list.crl, OnlyUsers),
      ofAuthorities = covers(list.crl, OnlyAuthorities)
    )
  }

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

  /** RFC 5280 section 5.2.5; in an octet string, onlyContainsUserCerts or onlyContainsCACerts and nothing else. */
  private final val DistributionPoint = "2.5.29.28"
  private val OnlyUsers               = Array[Byte](4, 5, 0x30, 3, 0x81.toByte, 1, -1)
  private val OnlyAuthorities         = Array[Byte](4, 5, 0x30, 3, 0x82.toByte, 1, -1)

  private final class PathChecker(
      lists: RevokedCertificates,
      trusted: Seq[X509Certificate],
      refused: CertPathValidatorException => Unit
  ) extends TrustedFirstChecker(refused) {
    private var issuer: X509Certificate = null // the certificate before

    protected def begin(): Unit = issuer = null

    protected def check(own: X509Certificate): Unit = {
      lists.check(own, if (issuer eq null) Certificates.issuers(own, trusted) else Seq(issuer))
      issuer = own
    }
  }
}
