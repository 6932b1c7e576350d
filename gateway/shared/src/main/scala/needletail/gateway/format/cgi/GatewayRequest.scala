package needletail.gateway.format.cgi

import needletail.async.{Async, Loop}
import needletail.http.{Attachments, ConnectionInfo, ConnectionWrapper, Request}
import needletail.io.EventLoop
import needletail.io.dns.Network

/**
 * Information from the web server about a request, besides the request itself: a handler gets it by `GatewayRequest.of`. To
 * be used on the request's loop.
 *
 * Its addresses and its scheme are the client's, as seen by the web server. Attachments live as long as the request,
 * as the web server owns the connections.
 *
 * @param scriptName the part of the path that chose the program (SCRIPT_NAME, RFC 3875 §4.1.13); it may be empty
 */
final class GatewayRequest private[gateway] (
    variables: Variables,
    val scriptName: String
) extends Attachments {

  /** What is told of failures that are logged; null if the protocol has no error stream. */
  private[gateway] var errors: GatewayRequest.Errors = null

  private[needletail] override def logging(log: Runnable): Unit =
    if (errors == null) log.run() else errors.logging(log)

  /** A variable of RFC 3875 §4.1 or one that the web server is configured to add; None if it is missing or empty. */
  def variable(name: String): Option[String] = Option(variables.get(name))

  /** The client's address, as the web server saw it. */
  def remoteAddress: String = address("REMOTE_ADDR", "REMOTE_PORT")

  /** The web server's address. */
  def localAddress: String = address("SERVER_ADDR", "SERVER_PORT")

  /** Whether the client used TLS: by HTTPS, which all web servers set, or REQUEST_SCHEME. */
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
    if (ip == null || ip.isEmpty) ""
    else if (ip.startsWith("unix:")) ip
    else {
      val bare   = if (ip.startsWith("[") && ip.endsWith("]")) ip.substring(1, ip.length - 1) else ip
      val number = Option(variables.get(port)).flatMap(_.toIntOption).filter(n => n >= 0 && n <= 65535)
      val name   = if (bare.indexOf(':') >= 0) s"[$bare]" else bare
      Network.endpoint(bare, number.getOrElse(0)).getOrElse(s"$name:${number.getOrElse(0)}")
    }
  }
}

object GatewayRequest {

  /** Passes what is logged about one request on to the web server. */
  private[gateway] trait Errors {
    def logging(log: Runnable): Unit
  }

  /** Information from the web server about `request`; None if the program itself serves HTTP. */
  def of(request: Request): Option[GatewayRequest] = find(request.connection)

  @scala.annotation.tailrec
  private def find(connection: ConnectionInfo): Option[GatewayRequest] = connection match {
    case gateway: GatewayRequest  => Some(gateway)
    case other: ConnectionWrapper => find(other.wrapped)
    case _                        => None
  }
}
