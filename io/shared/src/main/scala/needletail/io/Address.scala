package needletail.io

import needletail.async.Setting

/** Where to listen, or where to connect to. Its `toString` is what messages show. */
sealed abstract class Address

object Address {

  /**
   * A TCP port. `host` is a name, an IPv4 address or an IPv6 address without brackets. For listening, an empty host or
   * `"*"` means every address of the machine (IPv6 and IPv4 if the system has both), and port 0 lets the system
   * choose. Neither can be connected to.
   */
  final case class Tcp(host: String, port: Int) extends Address {

    Setting("Address.Tcp").between("port", port, 0, 65535)

    /** Whether it means every address of the machine. */
    def isWildcard: Boolean = host.isEmpty || host == "*"

    override def toString: String =
      if (isWildcard) s"*:$port"
      else if (host.indexOf(':') >= 0) s"[$host]:$port"
      else s"$host:$port"
  }

  /** A Unix domain socket in the file system. */
  final case class Unix(path: String) extends Address {
    override def toString: String = path
  }

  /**
   * A listening socket that the program was started with, by its file descriptor. 0 is standard input,
   * the only one that the JVM can take over (System.inheritedChannel); systemd counts from 3. For listening only.
   */
  final case class Inherited(descriptor: Int) extends Address {
    override def toString: String = s"fd:$descriptor"
  }
}
