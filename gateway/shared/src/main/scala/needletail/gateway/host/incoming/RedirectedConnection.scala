package needletail.gateway.host.incoming

import needletail.async.Async
import needletail.gateway.format.cgi.ConnectionWrapper
import needletail.http.{Attachment, ConnectionInfo, ConnectionSecurity}

/** The connection of a request that results from `count` successive local redirects of the client's request. */
private[host] final class RedirectedConnection(connection: ConnectionInfo, val count: Int)
    extends ConnectionInfo
    with ConnectionWrapper {
  def wrapped: ConnectionInfo                       = connection
  override def security: Option[ConnectionSecurity] = connection.security
  def remoteAddress: String                         = connection.remoteAddress
  def localAddress: String                          = connection.localAddress
  def isSecure: Boolean                             = connection.isSecure
  override def draining: Async[Unit]                = connection.draining

  private[needletail] override def logging(log: Runnable): Unit = connection.logging(log)

  def attachment[A](key: Attachment[A]): A          = connection.attachment(key)
  def attach[A](key: Attachment[A], value: A): Unit = connection.attach(key, value)
}
