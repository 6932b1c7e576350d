package needletail.io.platform

import needletail.io.tls.{AuthorityExpiry, CertificateInfo, ListExpiry, TlsCounts}

/*
 * TLS, as a platform implements it: TlsPlatform makes the following of configurations. Sockets that they return are
 * secured, see `Socket`:
 *
 * - they have `isSecure`, and `session` once the handshake is complete;
 * - failures are IOExceptions with one line in words: "the certificate of NAME expired on DATE", "… is not for NAME",
 *   "… was issued by somebody who is not trusted", "… was revoked";
 * - accepted ones count in `counts`, where they have been counted as begun: `completed` or `broken` exactly once, the
 *   latter at the latest when it is closed.
 */

/** The content of a `TlsServerConfig`, read from its files and verified. Immutable; for all loops. */
private[needletail] abstract class TlsServerContext {

  /**
   * Secures an accepted socket, and takes it over unless this throws. The first read begins the handshake.
   *
   * @param toPlain what is to be sent, as it is, to a peer whose first byte cannot begin TLS (20 to 24 can): reading
   *                throws a `PlainPeer` with it, and from then on bytes pass as they are; null for nothing. A first
   *                record that is none of a handshake is refused by an alert `unexpected_message`
   */
  def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket

  /** The first certificate of each chain, in the order of the configuration. */
  def certificates: Seq[CertificateInfo]

  /** Where each certificate is from, for messages: `FILE (NAME, KIND OF KEY)`; empty if that is not known. */
  def origins: Seq[String] = Nil

  /** When its lists of revoked certificates expire. */
  def lists: Seq[ListExpiry] = Nil

  /** When the trusted certificates of its clients' authorities expire. */
  def authorities: Seq[AuthorityExpiry] = Nil

  /** What is to be said of files that are used nevertheless. */
  def notices: Seq[String] = Nil

  /**
   * It is going to replace that one: makes what each loop has needed of that, which takes time, so that no loop has to
   * make it. On any thread.
   */
  def replaces(former: TlsServerContext): Unit = ()

  /** No server uses it now: frees the same, until it is needed again. Sessions from before are not resumed then. */
  def rest(): Unit = ()

  /** It has been replaced: frees what the garbage collector does not. Connections go on. To be called once. */
  def release(): Unit = ()
}

/** The content of a `TlsClientConfig`, read from its files. For all loops. */
private[needletail] abstract class TlsClientContext {

  /**
   * Secures a socket that is connecting, and takes it over, closing it if this throws. It is connected when the server
   * has proved that it is `name`.
   *
   * @param port any number: sessions are kept by it and `name`
   */
  def over(socket: Socket, name: String, port: Int): Socket

  /** Whether `prepare` has nothing to do. On any thread. */
  def isPrepared: Boolean = true

  /**
   * Reads the platform's trusted certificates if they are to be used, which takes time, unless that was done. Returns
   * false at once while another thread does so. On any thread; `over` throws what the latest attempt has failed with, and
   * makes one itself if there was none.
   */
  def prepare(): Boolean = true

  /** Whether an attempt has failed after that moment, by `System.nanoTime`. On any thread. */
  def hasFailedSince(nanos: Long): Boolean = false
}
