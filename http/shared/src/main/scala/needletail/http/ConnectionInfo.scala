package needletail.http

import needletail.async.{Async, Promise}

/** The connection a request came on, as far as handlers may know it. */
trait ConnectionInfo {

  /** The peer's address as text: `192.0.2.1:4711`, `[2001:db8::1]:4711`, or a Unix socket's path. */
  def remoteAddress: String
  def localAddress: String

  /** Did it come over TLS? */
  def isSecure: Boolean

  /**
   * Complete when the server has begun to drain: whatever has no end of its own, such as a stream of events, should
   * end then, or it is cut off after `drainTimeout`, which the whole drain waits for. See [[ByteStream.until]]. To be
   * called on the connection's loop, for whose connections it is the same: to cancel it has no effect. Never complete
   * where there is no server.
   */
  def draining: Async[Unit] = new Promise[Unit]

  /** A value that lives as long as the connection; made on first use. To be used on the connection's loop. */
  def attachment[A](key: Attachment[A]): A
  def attach[A](key: Attachment[A], value: A): Unit
}

object ConnectionInfo {

  /** No connection at all: for requests made in tests. Attachments work as on a real one. */
  def none(): ConnectionInfo = new Attachments {
    def remoteAddress: String = "127.0.0.1:0"
    def localAddress: String  = "127.0.0.1:0"
    def isSecure: Boolean     = false
  }
}

/** Names a value kept for each connection; compared by identity. */
final class Attachment[A](initial: => A) {
  private[needletail] def make(): A = initial
}

/** Attachments in a small map; `null` until the first one, as most connections never have any. */
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
