package needletail.http

import needletail.async.{Async, AsyncPromise}

/** The connection of a request. */
trait ConnectionInfo {

  /** The peer's address as text: `192.0.2.1:4711`, `[2001:db8::1]:4711`, or a Unix socket's path. */
  def remoteAddress: String

  /** The server's address, as text in the same form. */
  def localAddress: String

  /**
   * Whether the client's connection is encrypted by TLS: here, or by a trusted proxy in front that says so in its PROXY
   * header. Then `security` is None.
   */
  def isSecure: Boolean

  /** Whether responses over it can have files that the system sends. */
  private[needletail] def sendsFiles: Boolean = false

  /** Runs `log`, which logs a failure of one of its requests: a web server in front may have to be told, too. */
  private[needletail] def logging(log: Runnable): Unit = log.run()

  /** The results of the TLS handshake; None without TLS, and where a proxy in front has made it. */
  def security: Option[ConnectionSecurity] = None

  /** The certificate that the client has shown, which has been verified; None if it has shown none. */
  final def peer: Option[PeerCertificate] = security.flatMap(_.peer)

  /**
   * Completes when the server begins to drain. Responses that never end by themselves, such as streams of events,
   * should end then; otherwise the drain waits for them until `drainTimeout` and cuts them off. See
   * `ByteStream.until`. Call it on the connection's event loop. Cancelling it has no effect. Without a server it
   * never completes.
   */
  def draining: Async[Unit] = new AsyncPromise[Unit]

  /** A value kept for the life of the connection, created on first use. Only for use on the connection's event loop. */
  def attachment[A](key: Attachment[A]): A

  /** Sets the value that `attachment` returns. Only for use on the connection's event loop. */
  def attach[A](key: Attachment[A], value: A): Unit
}

object ConnectionInfo {

  /** For requests without a connection, as in tests. Attachments work as on a real one. */
  def none(): ConnectionInfo = new Attachments {
    def remoteAddress: String = "127.0.0.1:0"
    def localAddress: String  = "127.0.0.1:0"
    def isSecure: Boolean     = false
  }
}

/** The key of a value that is kept for each connection; compared by identity. `initial` makes the first value. */
final class Attachment[A](initial: => A) {
  private[needletail] def make(): A = initial
}

/** Attachments in a map that is created for the first of them, as most connections have none. */
private[needletail] abstract class Attachments extends ConnectionInfo {
  private var values: java.util.IdentityHashMap[Attachment[?], Any] = null

  def attachment[A](key: Attachment[A]): A = {
    if (values == null) values = new java.util.IdentityHashMap
    var v = values.get(key)
    if (v == null) {
      v = key.make()
      values.put(key, v)
    }
    v.asInstanceOf[A]
  }
  def attach[A](key: Attachment[A], value: A): Unit = {
    if (values == null) values = new java.util.IdentityHashMap
    values.put(key, value)
    ()
  }
}
