package needletail.io.tls

import java.io.IOException
import java.nio.file.Path

/** What may be wrong with the key of a certificate, in the words of all platforms: one line that names the file. */
private[io] object KeyFaults {
  def encrypted(key: Path): IOException = fault(s"$key is encrypted, and there is no password for it")

  def wrongPassword(key: Path, cause: Throwable = null): IOException =
    fault(s"the password for $key is wrong", cause)

  /** Of OpenSSL before version 1.0.0, with `Proc-Type: 4,ENCRYPTED`: its password is hashed once, by MD5. */
  def oldFormat(key: Path): IOException =
    fault(s"$key is encrypted in an old format that is not supported ($Converting)")

  /** @param how the scheme's name; empty if it is not known */
  def unsupported(key: Path, how: String, cause: Throwable = null): IOException =
    fault(
      s"$key is encrypted in a way that is not supported${if (how.isEmpty) "" else s": $how"} ($Converting)",
      cause
    )

  /**
   * @param certificates how many there are in the chain
   * @param kinds        those of the key and of the certificate's, such as RSA and EC, which are said if they differ
   */
  def ofAnother(
      key: Path,
      chain: Path,
      certificates: Int,
      kinds: Option[(String, String)]
  ): IOException = {
    val (its, wanted) = kinds.filter { case (its, wanted) => its != wanted }
      .fold(("", "")) { case (its, wanted) => (s" ($its)", s" ($wanted)") }
    fault(
      if (certificates < 2) s"the key of $key$its is not that of the certificate in $chain$wanted"
      else
        s"the key of $key$its is not that of the first of the $certificates certificates in $chain$wanted: put its own first"
    )
  }

  def weak(chain: Path, why: String): IOException = fault(s"$chain has a key that is too weak: $why")

  def weakSignature(chain: Path, why: String): IOException =
    fault(s"$chain has a certificate that peers reject, as its signature is too weak: $why")

  private final val Converting = "openssl pkcs8 -topk8 makes a new one"

  private def fault(text: String, cause: Throwable = null): IOException = new IOException(text, cause)
}
