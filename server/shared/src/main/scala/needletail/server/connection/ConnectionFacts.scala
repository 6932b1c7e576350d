package needletail.server.connection

import needletail.async.Async
import needletail.http.{Attachments, ConnectionSecurity, PeerCertificate}
import needletail.io.{CertificateInfo, Connection, TlsSession}

/** The connection as handlers see it; created for the first request on it, or before that where a server may speak first. */
private[needletail] class ConnectionFacts(connection: Connection) extends Attachments {
  def remoteAddress: String = connection.remoteAddress
  def localAddress: String  = connection.localAddress
  def isSecure: Boolean     = connection.isSecure

  private[needletail] override def sendsFiles: Boolean = connection.sendsFiles

  @volatile private var secured: Option[ConnectionSecurity] = null // until it is asked for and known

  override def security: Option[ConnectionSecurity] = {
    val known = secured
    if (known != null) known
    else {
      val now = connection.tlsSession.map(ConnectionFacts.security)
      if (now.isDefined) secured = now // None may be that of a handshake that is not complete
      now
    }
  }

  override def draining: Async[Unit] = connection.loop.drainBegins
}

private object ConnectionFacts {
  private def security(session: TlsSession): ConnectionSecurity = ConnectionSecurity(
    session.version,
    session.cipher,
    session.protocol,
    session.serverName,
    session.peer.map(peer)
  )

  private def peer(c: CertificateInfo): PeerCertificate =
    PeerCertificate(c.subject, c.names, c.issuer, c.serial, c.notAfter, c.sha256)
}
