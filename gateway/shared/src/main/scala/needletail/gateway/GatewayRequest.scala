package needletail.gateway

import needletail.async.{Async, Loop}
import needletail.http.{Attachments, ConnectionInfo, Request}
import needletail.io.EventLoop

/**
 * What the web server in front says of a request besides the request itself: a handler finds it by
 * `GatewayRequest.of`. To be used on the request's loop.
 *
 * Its addresses and its scheme are the client's, as that server saw them. Attachments live as long as the request:
 * connections are the other server's business.
 */
final class GatewayRequest private[gateway] (
    variables: Variables,
    val scriptName: String
) extends Attachments {

  /** A variable of RFC 3875 §4.1 or one that the server was told to add; None where it is missing or empty. */
  def variable(name: String): Option[String] = Option(variables.get(name))

  /** All of them, as they came. Header fields are among them, as `HTTP_...`. */
  def allVariables: List[(String, String)] = variables.toList

  def remoteAddress: String = address("REMOTE_ADDR", "REMOTE_PORT")
  def localAddress: String  = address("SERVER_ADDR", "SERVER_PORT")

  /** Did the client speak to the server in front over TLS? By HTTPS, which all set, or REQUEST_SCHEME. */
  def isSecure: Boolean = {
    val https = variables.get("HTTPS")
    if (https != null) !https.equalsIgnoreCase("off") && https != "0"
    else "https".equalsIgnoreCase(variables.get("REQUEST_SCHEME"))
  }

  override def draining: Async[Unit] = Loop.currentOrNull match {
    case loop: EventLoop => loop.drainBegins
    case _               => super.draining
  }

  private def address(host: String, port: String): String = {
    val ip = variables.get(host)
    if (ip == null) ""
    else if (ip.startsWith("unix:")) ip
    else {
      val name   = if (ip.indexOf(':') >= 0 && !ip.startsWith("[")) s"[$ip]" else ip
      val number = variables.get(port)
      s"$name:${if (number == null) "0" else number}"
    }
  }
}

object GatewayRequest {

  /** What is known of `request` from the server in front; None where the program speaks HTTP itself. */
  def of(request: Request): Option[GatewayRequest] = find(request.connection)

  @scala.annotation.tailrec
  private def find(connection: ConnectionInfo): Option[GatewayRequest] = connection match {
    case gateway: GatewayRequest => Some(gateway)
    case other: Wrapped          => find(other.wrapped)
    case _                       => None
  }
}

/** A connection that is another one in disguise. */
private[gateway] trait Wrapped {
  def wrapped: ConnectionInfo
}
