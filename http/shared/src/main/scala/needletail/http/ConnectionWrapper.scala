package needletail.http

import needletail.async.Async

/** A connection that differs from another one in what it says of the client. */
private[needletail] trait ConnectionWrapper extends ConnectionInfo {

  /** The other one. */
  def wrapped: ConnectionInfo

  def localAddress: String                                      = wrapped.localAddress
  override def security: Option[ConnectionSecurity]             = wrapped.security
  override def draining: Async[Unit]                            = wrapped.draining
  private[needletail] override def sendsFiles: Boolean          = wrapped.sendsFiles
  private[needletail] override def logging(log: Runnable): Unit = wrapped.logging(log)
  def attachment[A](key: Attachment[A]): A                      = wrapped.attachment(key)
  def attach[A](key: Attachment[A], value: A): Unit             = wrapped.attach(key, value)
}
