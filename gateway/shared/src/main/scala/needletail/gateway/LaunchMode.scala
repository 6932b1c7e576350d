package needletail.gateway

import needletail.gateway.serve.FrontProtocol
import needletail.io.Address
import needletail.io.system.SystemPlatform

/** Determines from the environment how this program was started, and which protocol to speak. */
private[gateway] object LaunchMode {

  /** See `Gateway.run`; HTTP at `otherwise` if no socket was passed. */
  def front(otherwise: Address): FrontProtocol = {
    val handed = System.getenv("LISTEN_FDS")
    if (handed != null && isOurs(System.getenv("LISTEN_PID")))
      // the JVM can take over standard input only; systemd passes the socket there if configured so
      if (handed.trim == "1")
        FrontProtocol.Http(Address.Inherited(if (SystemPlatform.listens(0)) 0 else FirstDescriptor))
      else
        throw new java.io.IOException(
          s"the service manager passed $handed sockets (LISTEN_FDS); expected one"
        )
    else if (isFastCgi) FrontProtocol.FastCgi(Address.Inherited(0))
    else FrontProtocol.Http(otherwise)
  }

  /** Whether standard input is a socket that listens, as web servers pass it that start FastCGI programs. */
  def isFastCgi: Boolean = SystemPlatform.listens(0)

  /** A warning if the environment resembles that of a CGI program but is not one (RFC 3875 §4.1.4). */
  def doubt(environment: String => String, protocol: String, address: Address): Option[String] =
    if (environment("REQUEST_METHOD") == null) None
    else
      Some(
        s"REQUEST_METHOD is set, but GATEWAY_INTERFACE is not CGI/1.1: this is not treated as a CGI request, " +
          s"and $protocol is served on $address"
      )

  /** LISTEN_PID may be that of another process, whose environment was inherited. */
  private def isOurs(pid: String): Boolean =
    pid != null && pid.trim == ProcessId.current.toString

  /** Addresses that may connect (FastCGI 1.0, section 3.2); empty: all. */
  def allowed: Set[String] = {
    val list = System.getenv("FCGI_WEB_SERVER_ADDRS")
    if (list == null) Set.empty else list.split(',').map(_.trim).filter(_.nonEmpty).toSet
  }

  /** SD_LISTEN_FDS_START of sd_listen_fds(3). */
  private final val FirstDescriptor = 3
}
