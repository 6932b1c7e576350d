package needletail.io.tls

import java.nio.file.Path

import needletail.async.Setting

/**
 * How connections to servers are secured by TLS. `Tls.client` makes a `Tls` of it.
 *
 * A server's certificate must be valid now, for the server's name, and issued by a trusted authority.
 * The files are read once, by `Tls.client`; when a list of revoked certificates expires, new connections fail from then on.
 *
 * @param trust       who is trusted
 * @param certificate the client certificate, for servers that request one
 * @param revoked     lists of revoked certificates (CRLs, RFC 5280) in PEM, one from each issuer
 * @param pins        if there are any, the chain must have a certificate with one of these keys: SHA-256 of the
 *                    SubjectPublicKeyInfo in base64, as in `pin-sha256` of RFC 7469
 * @param serverName  the name that the certificate must be for, and that is requested (SNI), instead of that
 *                    in the URL or the address
 * @param profile     protocol versions and ciphers
 * @param protocols   the protocols offered by ALPN (RFC 7301), the preferred one first; Nil: no ALPN
 * @param resume      whether a session with the same server is resumed, which saves most of a handshake: for a day at
 *                    most, until a certificate of the server's chain or a list of revoked ones expires
 * @throws java.lang.IllegalArgumentException for a value out of range, naming it
 */
final case class TlsClientConfig(
    trust: TlsTrust = TlsTrust.System,
    certificate: Option[TlsCertificate] = None,
    revoked: Option[Path] = None,
    pins: Set[String] = Set.empty,
    serverName: Option[String] = None,
    profile: TlsProfile = TlsProfile.Intermediate,
    protocols: Seq[String] = Nil,
    resume: Boolean = true
) {
  private def check(): Unit = {
    val is = Setting("TlsClientConfig")
    is.check(
      "protocols",
      protocols.mkString(", "),
      TlsServerConfig.areNames(protocols),
      "of 1 to 255 bytes each"
    )
    for (pin <- pins) is.check("pins", pin, TlsClientConfig.isPin(pin), "44 characters of base64, a SHA-256")
    for (name <- serverName)
      is.check("serverName", name, TlsClientConfig.isName(name), "the name or address of a host")
    is.check(
      "trust",
      trust,
      trust != TlsTrust.Unchecked || pins.isEmpty && revoked.isEmpty,
      "another than Unchecked if there are pins or CRLs"
    )
  }
  check()
}

object TlsClientConfig {

  /** Why a certificate that is for no name is refused. */
  private[io] final val Nameless =
    "it has no subjectAltName for that, and its common name does not count (RFC 9525)"

  /** Why a certificate is refused that is for a name by other asterisks than count. */
  private[io] final val Misplaced =
    "in its names an asterisk counts only as the whole first label (RFC 9525)"

  /** Whether a certificate can be for that name, or address: it is not empty, nor only a domain with all below it. */
  private[io] def isName(name: String): Boolean =
    name.nonEmpty && !name.startsWith(".") && name.forall(c => c > ' ' && c != 0x7f)

  private def isPin(text: String): Boolean =
    try text.length == 44 && java.util.Base64.getDecoder.decode(text).length == 32
    catch { case _: IllegalArgumentException => false }
}

/** Whose certificates are trusted. */
sealed trait TlsTrust

object TlsTrust {

  /** The authorities that the platform trusts: the JDK's, natively the system's. */
  case object System extends TlsTrust

  /** The certificates in a file (X.509 in PEM) and no others: those of a private authority, or a server's own. */
  final case class File(certificates: Path) extends TlsTrust

  /** Anybody's, for any name: encrypted, but open to impersonation. For tests only. */
  case object Unchecked extends TlsTrust
}
