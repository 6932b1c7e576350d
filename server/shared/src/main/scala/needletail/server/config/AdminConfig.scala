package needletail.server.config

import needletail.async.Setting
import needletail.http.Handler

/**
 * An administration server with `/health`, `/ready` and `/metrics`. It has an event loop of its own, so it answers
 * even if the others are blocked or have no connection left. It is closed last.
 *
 * @param port 0 lets the system choose
 * @param host the address to listen on; by default only this machine can connect. There is no other protection
 * @param handler handles every other path
 * @param names host names that are accepted besides `host` and those of the loopback address. The Host header of a
 *   request must be one of them, or an IP address if `host` is not a loopback address; otherwise 421. This keeps a
 *   page in an administrator's browser from reaching the port by a name of its own (DNS rebinding)
 * @throws java.lang.IllegalArgumentException for a port out of range
 */
final case class AdminConfig(
    port: Int,
    host: String = "127.0.0.1",
    handler: Option[Handler] = None,
    names: Set[String] = Set.empty
) {
  Setting("AdminConfig").between("port", port, 0, 65535)
}
