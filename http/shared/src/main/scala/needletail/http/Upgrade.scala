package needletail.http

import needletail.async.Async
import needletail.http.message.Headers

/**
 * What a handler responds with to hand a request's connection over to another protocol (RFC 9110 §7.8): see
 * `Response.switching`. It knows no version of HTTP: the server finds the byte channel, the whole connection for
 * HTTP/1.1.
 *
 * As the source of its response it is a stream without content.
 */
private[needletail] abstract class Upgrade extends ByteStream {

  /** The name of the protocol, as in the field Upgrade. */
  def protocol: String

  /** Checks the request; called when its response is due, on its loop. Must not throw. */
  def accept(request: Request): Upgrade.Answer

  final def next(): Async[Option[Array[Byte]]] = Async.value(None)
  final def cancel(): Unit                     = ()
}

private[needletail] object Upgrade {

  /** What a protocol makes of a request. */
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
