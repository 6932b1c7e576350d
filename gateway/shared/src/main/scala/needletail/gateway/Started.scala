package needletail.gateway

import needletail.io.{Address, SystemPlatform}

/** What the way in which a program was started says about whom to serve. */
private[gateway] object Started {

  /** See `Gateway.run`; HTTP at `otherwise` where nobody has left a socket. */
  def front(otherwise: Address): Front = {
    val handed = System.getenv("LISTEN_FDS")
    if (handed != null && isOurs(System.getenv("LISTEN_PID")))
      // the virtual machine can take over standard input alone, where systemd puts the socket, too, if it is told to
      if (handed.trim == "1")
        Front.Http(Address.Inherited(if (SystemPlatform.listens(0)) 0 else FirstDescriptor))
      else
        throw new java.io.IOException(
          s"the service manager has handed over $handed sockets (LISTEN_FDS): one is expected"
        )
    else if (SystemPlatform.listens(0)) Front.FastCgi(Address.Inherited(0))
    else Front.Http(otherwise)
  }

  /** LISTEN_PID may be that of another process, which has left its environment to us. */
  private def isOurs(pid: String): Boolean =
    pid != null && pid.trim == Process.id.toString

  /** Addresses that may connect (FastCGI 1.0, section 3.2); none: all. */
  def allowed: Set[String] = {
    val list = System.getenv("FCGI_WEB_SERVER_ADDRS")
    if (list == null) Set.empty else list.split(',').map(_.trim).filter(_.nonEmpty).toSet
  }

  /** SD_LISTEN_FDS_START of sd_listen_fds(3). */
  private final val FirstDescriptor = 3
}
