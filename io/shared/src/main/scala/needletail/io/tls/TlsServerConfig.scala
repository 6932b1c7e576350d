package needletail.io.tls

import java.nio.file.Path

import scala.concurrent.duration._

import needletail.async.Setting

/**
 * How a server secures its connections by TLS. `Tls.server` makes a `TlsIdentity` of it.
 *
 * The certificate of a connection is one for the name that the client requests (SNI). There can be one with an ECDSA key
 * and one with an RSA key for the same name: the choice then depends on what the client accepts. An exact name has
 * precedence over a wildcard (`*.example.com`, whose asterisk matches one label).
 *
 * @param certificates       at least one. The first is also for clients that name no server; with it, any other that is
 *                           for the same names
 * @param refuseUnknownNames whether a client that requests a name without a certificate is rejected with the alert
 *                           `unrecognized_name`; otherwise it gets the first certificate
 * @param profile            protocol versions and ciphers
 * @param protocols          the protocols negotiated by ALPN (RFC 7301), the preferred one first. A client that
 *                           offers none of these is rejected. Nil: no ALPN
 * @param clients            whether clients must present a certificate; None: it is not requested
 * @param sessionLifetime    how long a session can be resumed at most, from its full handshake on; 1 second to 7 days
 * @param limits             on handshakes
 * @param checkFiles         how often the server looks whether the files have changed, and if so reads them again, as
 *                           `TlsIdentity.reload` does; 0: never
 * @param resume             whether sessions are resumed, by tickets or otherwise; if not, each connection has a full
 *                           handshake
 * @throws java.lang.IllegalArgumentException for a value out of range, naming it
 */
final case class TlsServerConfig(
    certificates: Seq[TlsCertificate],
    refuseUnknownNames: Boolean = false,
    profile: TlsProfile = TlsProfile.Intermediate,
    protocols: Seq[String] = Seq("http/1.1", "http/1.0"),
    clients: Option[TlsClientAuth] = None,
    sessionLifetime: FiniteDuration = FiniteDuration(2, HOURS),
    limits: TlsLimits = TlsLimits(),
    checkFiles: FiniteDuration = FiniteDuration(0, SECONDS),
    resume: Boolean = true
) {
  private def check(): Unit = {
    val is = Setting("TlsServerConfig")
    is.check("certificates", "empty", certificates.nonEmpty, "at least one")
    is.check(
      "protocols",
      protocols.mkString(", "),
      TlsServerConfig.areNames(protocols),
      "of 1 to 255 bytes each"
    )
    is.check(
      "sessionLifetime",
      sessionLifetime,
      sessionLifetime >= 1.second && sessionLifetime <= 7.days,
      "1 second to 7 days"
    )
    is.notNegative("checkFiles", checkFiles)
  }
  check()
}

object TlsServerConfig {

  /** With one certificate, and defaults. */
  def apply(chain: Path, key: Path): TlsServerConfig = TlsServerConfig(Seq(TlsCertificate(chain, key)))

  /** Whether they can be names of ALPN (RFC 7301 section 3.1). */
  private[tls] def areNames(protocols: Seq[String]): Boolean =
    protocols.forall(name => name.nonEmpty && name.length <= 255 && name.forall(_ < 128))
}

/**
 * Limits of a server's handshakes.
 *
 * @param handshakes how many may be in progress at once, counted from a client's first byte; twice as many, at least 64,
 *                   with clients that have sent nothing yet. Beyond that, further
 *                   connections wait in the kernel's backlog, and handshakes in which the client makes no progress are
 *                   closed to make room, those that are stalled longest first: half a second after the server's last
 *                   answer, or a quarter of one after the client's first byte
 * @param timeout    how long one may take, from when the connection was accepted; then it is closed
 * @throws java.lang.IllegalArgumentException for a value out of range, naming it
 */
final case class TlsLimits(handshakes: Int = 1024, timeout: FiniteDuration = FiniteDuration(10, SECONDS)) {
  private def check(): Unit = {
    val is = Setting("TlsLimits")
    is.positive("handshakes", handshakes)
    is.positive("timeout", timeout)
  }
  check()
}

/**
 * Certificates of clients.
 *
 * @param authorities certificates in PEM: a client's must have been issued by one of them, directly or not, or be one of
 *                    them. Whoever has the key of one with `CA:TRUE` can issue certificates in any name that it permits:
 *                    a client's own should have `CA:FALSE`, which `openssl req -x509` does not set by itself
 * @param required    whether a client without a certificate is refused. One with a certificate that is not valid
 *                    always is
 * @param revoked     lists of revoked certificates (CRLs, RFC 5280) in PEM, one from each issuer
 * @param check       asked about a client's certificate when all else is in order; false refuses the client. May be
 *                    called on any thread, an event loop's too, and must not block. An exception rejects the client
 */
final case class TlsClientAuth(
    authorities: Path,
    required: Boolean = true,
    revoked: Option[Path] = None,
    check: CertificateInfo => Boolean = TlsClientAuth.any
)

object TlsClientAuth {
  private[io] val any: CertificateInfo => Boolean = _ => true
}
