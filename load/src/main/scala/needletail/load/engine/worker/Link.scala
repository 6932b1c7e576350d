package needletail.load.engine.worker

import needletail.client.connection.ClientConnection
import needletail.io.TlsSession

/** An open connection of the load, which answers in the order of what is sent. Used on its worker's loop. */
private[engine] abstract class Link {

  /** The results of the TLS handshake; None without TLS. */
  def tlsSession: Option[TlsSession]

  /** Whether it takes more. */
  def isUsable: Boolean

  /** Requests that are not answered. */
  def underWay: Int

  /** Whether this one can be sent now. */
  def accepts(exchange: InFlightRequest): Boolean
  def send(exchange: InFlightRequest): Unit
  def close(): Unit

  /** Whether it is the connection that has been reported as ended. */
  def isOf(ended: AnyRef): Boolean
}

/** Requests and answers of HTTP/1.1. */
private[engine] final class HttpLink(connection: ClientConnection) extends Link {
  def tlsSession: Option[TlsSession]              = connection.tlsSession
  def isUsable: Boolean                           = connection.isUsable
  def underWay: Int                               = connection.underWay
  def accepts(exchange: InFlightRequest): Boolean = connection.accepts(exchange)
  def send(exchange: InFlightRequest): Unit       = connection.send(exchange)
  def close(): Unit                               = connection.close()
  def isOf(ended: AnyRef): Boolean                = ended eq connection
}
