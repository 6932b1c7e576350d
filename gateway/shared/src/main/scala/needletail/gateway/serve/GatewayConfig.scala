package needletail.gateway.serve

import needletail.async.Setting
import needletail.server.config.ServerConfig

/**
 * How a program serves behind a web server; see [[Gateway]].
 *
 * @param server loops, limits, timeouts, overload control and log, which apply as in HTTP, to each request of the web
 *   server. Its address is used for HTTP
 * @param front the protocol to speak; None: depends on how the program was started, see `Gateway.run`
 * @param mount the path at which the web server mounts the program: requests' paths then begin after it. None:
 *   from SCRIPT_NAME and PATH_INFO; `/`: the whole path, regardless of them
 * @param maxVariables bytes of the variables of one request, names and values, of which SCGI accepts 60 KiB at most;
 *   beyond: 431
 * @param maxMultiplexed concurrent requests of one FastCGI connection; beyond, requests are refused as overloaded
 * @param maxUnread bytes of a request's content that are kept while its handler does not read them and other requests
 *   share its FastCGI connection; beyond, reading that connection is paused
 */
final case class GatewayConfig(
    server: ServerConfig = ServerConfig(),
    front: Option[FrontProtocol] = None,
    mount: Option[String] = None,
    maxVariables: Int = 64 * 1024,
    maxMultiplexed: Int = 128,
    maxUnread: Int = 64 * 1024
) {
  private def check(): Unit = {
    val is = Setting("GatewayConfig")
    is.check("mount", mount, mount.forall(_.startsWith("/")), "a path that begins with a slash")
    is.positive("maxVariables", maxVariables)
    is.positive("maxMultiplexed", maxMultiplexed)
    is.positive("maxUnread", maxUnread)
  }
  check()

  /** Without the slash at its end; null if there is none. */
  private[gateway] def mountOrNull: String = mount.fold[String](null)(_.stripSuffix("/"))
}
