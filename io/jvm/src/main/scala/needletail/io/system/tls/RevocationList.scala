package needletail.io.system.tls

import java.security.PublicKey
import java.security.cert.{X509CRL, X509Certificate}
import javax.security.auth.x500.X500Principal

import needletail.io.tls.RevocationLists

/**
 * A list of revoked certificates, and what is known of who has signed it: that is asked in each handshake, and takes a hash
 * of the whole list. Thread-safe.
 */
private[tls] final class RevocationList(val crl: X509CRL) {
  import RevocationList.*

  val issuer: X500Principal = crl.getIssuerX500Principal
  val madeAt: Long          = crl.getThisUpdate.getTime

  /** The keyIdentifier of its authorityKeyIdentifier; empty if there is none. */
  val key: Seq[Byte] = Option(crl.getExtensionValue(AuthorityKey)).fold(Seq.empty[Byte]) { value =>
    RevocationLists.keyIdentifier(value.drop(if ((value(1) & 0xff) < 0x80) 2 else 2 + (value(1) & 0x7f)))
  }

  def hasExpired(now: Long): Boolean = {
    val end = crl.getNextUpdate
    (end eq null) || end.getTime <= now
  }

  @volatile private var signer: Option[PublicKey] = None

  @volatile private var others = Vector.empty[PublicKey] // that have not signed it

  /** Whether it is signed by the key of this authority, which may sign lists. */
  def isBy(authority: X509Certificate): Boolean = {
    val uses = authority.getKeyUsage
    val own  = authority.getPublicKey
    ((uses eq null) || uses(CrlSign)) && signer.fold(!others.contains(own) && verify(authority))(_ == own)
  }

  private def verify(authority: X509Certificate): Boolean = {
    val is = Certificates.isBy(authority)(crl.verify(_))
    if (is) signer = Some(authority.getPublicKey)
    else others = (others :+ authority.getPublicKey).takeRight(Others)
    is
  }
}

private object RevocationList {

  /** So many keys are remembered that have not signed it. */
  private final val Others = 4

  private final val CrlSign = 6

  private final val AuthorityKey = "2.5.29.35"
}
