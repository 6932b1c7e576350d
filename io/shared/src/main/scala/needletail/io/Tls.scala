package needletail.io

/**
 * Whom connections to servers trust when they are secured by TLS (RFC 8446, RFC 5246). Immutable; for any number of
 * connections on any loops.
 *
 * `Tls.system` trusts whom the platform trusts. The JVM has others: `Tls.of` an `SSLContext`, `Tls.trusting` the
 * certificates of a file, and `Tls.unchecked`. Natively there is none: `Tls.isKnown` says so.
 */
abstract class Tls private[io] () {

  /**
   * A socket that is connecting, secured: it is connected when the server has shown that it is `name`. It takes
   * `socket` over, and its `finishConnect` throws an IOException that says what is wrong with the server.
   */
  private[io] def over(socket: Socket, name: String, port: Int): Socket

  /** Reads what takes time to read, where that was not done; a failure is `over`'s to tell. */
  private[io] def prepare(): Unit = ()

  /** With the server of that name, or of that address. The first call may read whom the platform trusts. */
  final def to(name: String): TlsPeer = {
    prepare()
    new TlsPeer(this, name)
  }
}

/** A server that is spoken to over TLS, by the name that its certificate must have. */
final class TlsPeer private[io] (private[io] val tls: Tls, val name: String)

/** The key and the certificate by which a server shows who it is; the JVM makes them, by `Tls.identity`. */
abstract class TlsIdentity private[io] () {

  /** A socket that was accepted, secured. It takes `socket` over; the handshake is made by what reads first. */
  private[io] def over(socket: Socket): Socket
}

object Tls extends TlsPlatform
