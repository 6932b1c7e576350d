package needletail.io.tls

import java.io.IOException
import java.nio.file.Path

/** Files of lists of revoked certificates (CRLs). */
private[io] object RevocationLists {

  /** For a file with a list that does not say when it expires: it would be good for ever. */
  def endless(file: Path): IOException = new IOException(
    s"$file has a certificate revocation list without nextUpdate (RFC 5280 section 5.1.2.5)"
  )
}
