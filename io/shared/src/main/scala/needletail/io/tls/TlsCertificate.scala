package needletail.io.tls

import java.nio.file.{Path, Paths}

/**
 * A certificate and its key, in files as written by `certbot` and others.
 *
 * @param chain    X.509 in PEM: the certificate itself first, then those of its issuers, without the root
 * @param key      of the first certificate, in PEM: PKCS #8 (`BEGIN PRIVATE KEY`, `BEGIN ENCRYPTED PRIVATE KEY`), PKCS #1
 *                 (`BEGIN RSA PRIVATE KEY`) or SEC 1 (`BEGIN EC PRIVATE KEY`)
 * @param password of an encrypted key
 */
final case class TlsCertificate(chain: Path, key: Path, password: Option[String] = None) {

  /** Without the password, as this may get into a log. */
  override def toString: String = s"TlsCertificate($chain, $key)"
}

object TlsCertificate {

  /** The same for the paths as text. A text that cannot be a path throws InvalidPathException. */
  def apply(chain: String, key: String): TlsCertificate = TlsCertificate(Paths.get(chain), Paths.get(key))

  /** The same, with the password of an encrypted key. */
  def apply(chain: String, key: String, password: Option[String]): TlsCertificate =
    TlsCertificate(Paths.get(chain), Paths.get(key), password)
}
