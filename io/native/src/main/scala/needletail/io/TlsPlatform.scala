package needletail.io

import java.nio.file.Path

import needletail.io.system.{CertificateFiles, OpenSslIdentity, OpenSslTls}

/**
 * TLS by OpenSSL 3, which is loaded when it is first used. Without it, `trusting` and `identity` throw an IOException
 * that says so, and connections fail with one.
 */
private[io] trait TlsPlatform {

  /** Whether TLS is available on this platform. */
  final val isKnown = true

  /** Uses the system's trusted certificates. The certificate must be for the server's name. */
  val system: Tls = new OpenSslTls(null, isChecked = true)

  /**
   * Trusts the certificates in a file and no others: those of a private authority, or a server's own.
   *
   * @param certificates X.509 in PEM, one or several
   * @throws java.io.IOException if it cannot be read, or has no certificate
   */
  def trusting(certificates: Path): Tls = OpenSslTls.trusting(certificates)

  /** Checks no certificate: encrypted, but open to impersonation. For tests only. */
  def unchecked: Tls = new OpenSslTls(null, isChecked = false)

  /**
   * A server's identity from files as `certbot` and others write them.
   *
   * @param certificates X.509 in PEM, the server's own first, then those of its issuers
   * @param key of the first certificate, in PEM, not encrypted
   * @throws java.io.IOException if one cannot be read or has no such content, or if the key does not match the
   *   certificate
   */
  def identity(certificates: Path, key: Path): TlsIdentity =
    new OpenSslIdentity(new CertificateFiles(certificates, key))
}
