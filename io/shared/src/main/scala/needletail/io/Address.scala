package needletail.io

import needletail.async.Setting

/** Where to listen, or where to connect to. Its `toString` is what messages show. */
sealed abstract class Address

object Address {

  /**
   * A TCP port. `host` is a name, an IPv4 address or an IPv6 address without brackets; empty or `"*"` means every
   * address of the machine when listening (IPv6 and IPv4 together where the system has both); nobody can connect to
   * that. Port 0 lets the system choose when listening.
   */
  final case class Tcp(host: String, port: Int) extends Address {

    Setting("Address.Tcp").between("port", port, 0, 65535)

    /** Is this "all addresses"? */
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
   * A socket that listens already: that file descriptor, of those the program was started with. 0 is standard input,
   * the only one that the JVM can take over (System.inheritedChannel); systemd counts from 3. For listening only.
   */
  final case class Inherited(descriptor: Int) extends Address {
    override def toString: String = s"fd:$descriptor"
  }
}
