package needletail.io.tls

import java.io.IOException

/** The peer has closed the connection before its TLS handshake was complete, and has not said why. */
private[needletail] final class ClosedInHandshake(peer: String)
    extends IOException(s"$peer closed the connection during the TLS handshake")
