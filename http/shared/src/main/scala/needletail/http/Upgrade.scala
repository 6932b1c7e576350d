package needletail.http

import needletail.async.Async
import needletail.http.message.Headers

/**
 * The source of a response that hands the request's connection over to another protocol (RFC 9110 §7.8). It knows no
 * version of HTTP: the server finds the byte channel, the whole connection for HTTP/1.1.
 *
 * It is the source of its response, a stream without content, so that other responses cost no check for it.
 */
private[needletail] abstract class Upgrade extends ByteStream {

  /** The name of the protocol, as in the field Upgrade. */
  def protocol: String

  /** The fields Connection and Upgrade of the response that hands the connection over. */
  def switching: Headers = Headers("Connection" -> "upgrade", "Upgrade" -> protocol)

  /** Checks the request; called when its response is due, on its loop. Must not throw. */
  def accept(request: Request): Upgrade.Answer

  /**
   * The response by which the connection is handed over, if the request is suitable; otherwise the response that `accept`
   * returns is sent. Its status is 101 here in either case. With other content it becomes a response like any other, with 200.
   */
  final def response: Response = Response.switching(this)

  final def next(): Async[Option[Array[Byte]]] = Async.value(None)
  final def cancel(): Unit                     = ()
}

private[needletail] object Upgrade {

  /** The protocol that a response hands the connection over to; null if none. */
  def of(response: Response): Upgrade = response.source match {
    case to: Upgrade => to
    case _           => null
  }

  /** A protocol's decision on a request. */
  sealed abstract class Answer

  /** The request does not fit: this is the response. */
  final class Refused(val response: Response) extends Answer

  /**
   * The protocol takes over as soon as the response has been written.
   *
   * @param headers of the response, besides Connection and Upgrade
   * @param open called once, on the loop, in a turn of the tunnel
   */
  final class Accepted(val headers: Headers, val open: Tunnel => TunnelHandler) extends Answer
}
