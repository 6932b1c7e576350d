package needletail.io

import needletail.io.platform.Socket

/**
 * How connections to servers are secured by TLS (RFC 8446, RFC 5246): which certificates they trust. Immutable, for
 * any number of connections on any loops.
 *
 * `Tls.system` uses the platform's trust store. On the JVM there are also `Tls.of` an `SSLContext`, `Tls.trusting`
 * the certificates of a file, and `Tls.unchecked`. TLS is not available on Native: `Tls.isKnown` is false there.
 */
abstract class Tls private[io] () {

  /**
   * Secures a socket that is connecting: it is connected when the server has proved that it is `name`. Takes over
   * `socket`. Its `finishConnect` throws an IOException that describes the error.
   */
  private[io] def over(socket: Socket, name: String, port: Int): Socket

  /** Reads the trusted certificates, which takes time, unless that was done. `over` throws any error of this. */
  private[io] def prepare(): Unit = ()

  /**
   * The peer for the server with that name or address. The first call may read the trusted certificates, which blocks.
   */
  final def to(name: String): TlsPeer = {
    prepare()
    new TlsPeer(this, name)
  }
}

/** A server to connect to by TLS, and the name that its certificate must be for. */
final class TlsPeer private[io] (private[io] val tls: Tls, val name: String)

/** The key and the certificate of a server; created by `Tls.identity`, on the JVM only. */
abstract class TlsIdentity private[io] () {

  /** Secures an accepted socket, and takes it over. The first read performs the handshake. */
  private[io] def over(socket: Socket): Socket
}

object Tls extends TlsPlatform
