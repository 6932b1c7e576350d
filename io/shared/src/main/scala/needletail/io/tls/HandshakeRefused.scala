package needletail.io.tls

import java.io.IOException

/** A server has more handshakes to compute than it can, and has computed nothing for this one. */
private[needletail] final class HandshakeRefused
    extends IOException("more handshakes waited to be computed than could be within a second") {
  override def fillInStackTrace(): Throwable = this
}
