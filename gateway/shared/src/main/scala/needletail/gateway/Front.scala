package needletail.gateway

import needletail.io.Address

/** Who asks, and how: the server in front of a program, or clients themselves. */
sealed abstract class Front

object Front {

  /** A server that starts the program anew for each request (RFC 3875). */
  case object Cgi extends Front

  /** A server that connects to `address` and speaks FastCGI there. */
  final case class FastCgi(address: Address) extends Front

  /** A server that connects to `address` and speaks SCGI there. */
  final case class Scgi(address: Address) extends Front

  /** Anybody who speaks HTTP, at `address`. */
  final case class Http(address: Address) extends Front

  private[gateway] def name(front: Front): String = front match {
    case Cgi        => "CGI"
    case FastCgi(_) => "FastCGI"
    case Scgi(_)    => "SCGI"
    case Http(_)    => "HTTP"
  }
}
