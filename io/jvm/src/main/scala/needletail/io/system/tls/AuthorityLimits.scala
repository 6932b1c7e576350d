package needletail.io.system.tls

import java.security.cert.{CertPathValidatorException, PKIXCertPathChecker, X509Certificate}

import needletail.io.tls.{CertificateText, TlsRefusal}

/**
 * What the authorities of a path limit: which names there may be below them, how many authorities, and for whom their
 * certificates are (RFC 5280 sections 4.2.1.9, 4.2.1.10 and 4.2.1.12). OpenSSL looks at those of all of them. The JDK takes
 * neither names nor number from a trusted certificate, which may issue even if it has version 1, and asks for whom a
 * certificate is of the peer's own only.
 */
private[tls] object AuthorityLimits {

  /**
   * Checks the certificates of a path.
   *
   * @param attempt  whose path it is
   * @param isMarked whether a trusted certificate must say that it is an authority's to be one
   */
  def checker(
      trusted: Seq[X509Certificate],
      attempt: () => Attempt,
      isMarked: Boolean
  ): PKIXCertPathChecker = new Checker(trusted, attempt, isMarked)

  /** Whether it limits something as a trusted one. */
  def areIn(authority: X509Certificate): Boolean =
    !Purpose.Client.permits(authority) || !Purpose.Server.permits(authority) ||
      NameConstraints.areIn(authority) || depthOf(authority) < Int.MaxValue

  /**
   * Whether a chain that the JDK accepts may break a limit.
   *
   * @param limiting the trusted ones that have any
   */
  def concern(chain: Array[X509Certificate], limiting: Array[X509Certificate], purpose: Purpose): Boolean =
    chain.tail.exists(one => !purpose.permits(one) || NameConstraints.areIn(one)) ||
      limiting.exists(one => chain.exists(_.getIssuerX500Principal == one.getSubjectX500Principal))

  /** How many others may be below it. */
  private def depthOf(authority: X509Certificate): Int =
    if (authority.getBasicConstraints < 0) Int.MaxValue else authority.getBasicConstraints

  private def isSelfIssued(one: X509Certificate): Boolean =
    one.getSubjectX500Principal == one.getIssuerX500Principal

  private def refusal(text: String): PathRefusal = new PathRefusal(text, TlsRefusal.Invalid)

  private final class Checker(trusted: Seq[X509Certificate], attempt: () => Attempt, isMarked: Boolean)
      extends TrustedFirstChecker(e => attempt().refusal = e) {
    private var anchors = Seq.empty[X509Certificate]    // of one name and key, any of which will do
    private var above   = Vector.empty[X509Certificate] // authorities that are not trusted themselves
    private var depth   = 0                             // how many of these are not self-issued
    private var latest: X509Certificate = null

    protected def begin(): Unit = {
      anchors = Nil
      above = Vector.empty
      depth = 0
      latest = null
    }

    protected def check(own: X509Certificate): Unit = {
      if (latest ne null) pass(latest)
      else {
        val issuers = Certificates.issuers(own, trusted)
        val valid   = issuers.filter(AuthorityDates.isValid)
        anchors = if (valid.isEmpty) issuers else valid
      }
      latest = own
      above.foreach(checkNames(_, own))
      val (refusing, others) = anchors.partitionMap(one => wrong(one, own).toLeft(one))
      if (others.isEmpty && refusing.nonEmpty) throw refusing.head
      anchors = others
    }

    /** Another one is below it, so that it is an authority. */
    private def pass(authority: X509Certificate): Unit = {
      checkPurpose(authority)
      above :+= authority
      if (!isSelfIssued(authority)) depth += 1
    }

    private def wrong(anchor: X509Certificate, own: X509Certificate): Option[CertPathValidatorException] =
      try {
        if (isMarked && anchor.getBasicConstraints < 0)
          throw refusal(CertificateText.mayNotIssue(PathRefusal.nameOf(anchor)))
        checkPurpose(anchor)
        if (depth > depthOf(anchor)) throw refusal(CertificateText.PathTooLong)
        checkNames(anchor, own)
        None
      } catch { case e: CertPathValidatorException => Some(e) }

    private def checkPurpose(authority: X509Certificate): Unit = {
      val purpose = attempt().purpose
      if (!purpose.permits(authority))
        throw refusal(CertificateText.notFor(purpose.peers, Some(PathRefusal.nameOf(authority))))
    }

    /** Not of an authority that is the same as the one above it (RFC 5280 section 4.2.1.10). */
    private def checkNames(authority: X509Certificate, own: X509Certificate): Unit = {
      val isPeers = own == attempt().shown
      if (
        (isPeers || !isSelfIssued(own)) &&
        !NameConstraints.permit(authority, own, isPeers && attempt().purpose == Purpose.Client)
      )
        throw refusal(CertificateText.unpermitted(if (isPeers) None else Some(PathRefusal.nameOf(own))))
    }
  }
}
