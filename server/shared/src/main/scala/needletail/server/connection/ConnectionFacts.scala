package needletail.server.connection

import needletail.async.Async
import needletail.http.Attachments
import needletail.io.Connection

/** What handlers see of a connection; created for the first request on it. */
private[needletail] final class ConnectionFacts(connection: Connection) extends Attachments {
  def remoteAddress: String = connection.remoteAddress
  def localAddress: String  = connection.localAddress
  def isSecure: Boolean     = connection.isSecure

  override def draining: Async[Unit] = connection.loop.drainBegins
}
