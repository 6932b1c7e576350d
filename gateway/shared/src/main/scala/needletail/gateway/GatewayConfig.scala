package needletail.gateway

import needletail.async.Setting
import needletail.server.ServerConfig

/**
 * How a program serves behind a web server; see [[Gateway]].
 *
 * @param server loops, limits, time-outs, overload control and log, which apply as they do to HTTP: a request of the
 *   server in front is held to them as if it had come by itself. Its address is for HTTP
 * @param front whom to serve; None: whoever has started the program, see `Gateway.run`
 * @param mount the path at which the server in front has put the program: requests' paths then begin behind it. None:
 *   as SCRIPT_NAME and PATH_INFO say; `/`: the whole path, whatever they say
 * @param maxVariables octets of the variables of one request, names and values; beyond: 431
 * @param maxMultiplexed requests of one FastCGI connection at once; beyond, it is told that we are overloaded
 * @param maxUnread octets of a request's content that are kept for a handler that does not read them, while other
 *   requests share its FastCGI connection; beyond, that connection is not read on until it does
 */
final case class GatewayConfig(
    server: ServerConfig = ServerConfig(),
    front: Option[Front] = None,
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

  /** Without the slash at its end; `null` where there is none. */
  private[gateway] def mountOrNull: String = mount.fold[String](null)(_.stripSuffix("/"))
}
