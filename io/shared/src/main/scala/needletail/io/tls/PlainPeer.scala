package needletail.io.tls

import java.io.IOException

/**
 * A client has begun to speak something else than TLS. Its socket has thrown this once, and from then on passes bytes as
 * they are, so that it can be told.
 *
 * @param answer    what it is to be told
 * @param isProxied whether what it sent is a PROXY header
 */
private[needletail] final class PlainPeer(message: String, val answer: Array[Byte], val isProxied: Boolean)
    extends IOException(message)
