package needletail.io

/** Where to listen, or where to connect to. Its `toString` is what messages show. */
sealed abstract class Address

object Address {

  /**
   * A TCP port. `host` is a name, an IPv4 address or an IPv6 address without brackets; empty or `"*"` means every
   * address of the machine when listening (IPv6 and IPv4 together where the system has both) and the machine
   * itself when connecting. Port 0 lets the system choose when listening.
   */
  final case class Tcp(host: String, port: Int) extends Address {

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
}
