package needletail.io

import java.nio.file.Path

import needletail.io.platform.{Socket, TlsClientContext, TlsServerContext}
import needletail.io.tls.{TlsClientConfig, TlsServerConfig, TlsTrust}

/**
 * How connections to servers are secured by TLS (RFC 8446, RFC 5246): which certificates they trust. Immutable, for
 * any number of connections on any loops.
 *
 * `Tls.client` makes one; `Tls.system`, `Tls.trusting` and `Tls.unchecked` are short for usual ones. On the JVM there
 * is also `Tls.of` an `SSLContext`.
 */
final class Tls private[io] (context: TlsClientContext, serverName: Option[String] = None) {

  /** Secures a socket that is connecting, and takes it over: see `TlsClientContext.over`. */
  private[needletail] def over(socket: Socket, name: String, port: Int): Socket =
    context.over(socket, name, port)

  private[io] def isPrepared: Boolean = context.isPrepared

  private[io] def hasFailedSince(nanos: Long): Boolean = context.hasFailedSince(nanos)

  /** See `TlsClientContext.prepare`. Blocks. */
  private[io] def prepare(): Boolean = context.prepare()

  /** The peer for the server with that name or address; a trailing dot is not part of it (RFC 6066 section 3). */
  def to(name: String): TlsPeer = new TlsPeer(this, serverName.getOrElse(name).stripSuffix("."))
}

/** A server to connect to by TLS, and the name that its certificate must be for. */
final class TlsPeer private[io] (tls: Tls, val name: String, apart: Int = 0) {

  /**
   * The same server, with sessions of its own: connections resume only those of the same number. For connections that
   * are made at the same time, which would take each other's sessions: one of TLS 1.3 is resumed once, and the JDK
   * keeps only the latest of each server.
   */
  private[needletail] def apart(number: Int): TlsPeer = new TlsPeer(tls, name, number)

  /** See `TlsClientContext.over`. Beyond 32,768 numbers some share their sessions. */
  private[io] def over(socket: Socket, port: Int): Socket =
    tls.over(socket, name, (apart & 0x7fff) << 16 | port)

  private[io] def isPrepared: Boolean = tls.isPrepared

  /** See `TlsClientContext.prepare`. Blocks. */
  private[io] def prepare(): Boolean = tls.prepare()

  private[io] def hasFailedSince(nanos: Long): Boolean = tls.hasFailedSince(nanos)
}

object Tls extends TlsPlatform {

  /** Trusts the authorities that the platform trusts. A certificate must be for the server's name. */
  lazy val system: Tls = client(TlsClientConfig())

  /**
   * Trusts the certificates in a file and no others: those of a private authority, or a server's own. One with `CA:TRUE`
   * is an authority's, whoever has its key: a server's own should have `CA:FALSE`, which `openssl req -x509` does not set
   * by itself.
   *
   * @param certificates X.509 in PEM, one or several
   * @throws java.io.IOException if it cannot be read, or has no certificate
   */
  def trusting(certificates: Path): Tls = client(TlsClientConfig(TlsTrust.File(certificates)))

  /** Checks no certificate: encrypted, but open to impersonation. For tests only. */
  def unchecked: Tls = client(TlsClientConfig(TlsTrust.Unchecked))

  /**
   * Reads the files of a configuration.
   *
   * @throws java.io.IOException with a one-line message: which file is invalid and why, or that TLS is not available
   */
  def client(config: TlsClientConfig): Tls = new Tls(load(config), config.serverName)

  /**
   * Reads the files of a configuration. A certificate that is not valid now is not an error: see `TlsIdentity.expiry`.
   *
   * @throws java.io.IOException with a one-line message: which file is invalid and why, or that TLS is not available
   */
  def server(config: TlsServerConfig): TlsIdentity = identity(config, () => load(config))

  private[io] def identity(config: TlsServerConfig, load: () => TlsServerContext): TlsIdentity =
    new TlsIdentity(config.limits, load, filesOf(config), config.checkFiles.toNanos)

  private def filesOf(config: TlsServerConfig): Seq[Path] =
    config.certificates.flatMap(c => Seq(c.chain, c.key)) ++
      config.clients.toSeq.flatMap(clients => clients.authorities +: clients.revoked.toSeq)
}
