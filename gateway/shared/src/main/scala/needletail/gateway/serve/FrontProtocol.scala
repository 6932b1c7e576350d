package needletail.gateway.serve

import needletail.io.Address

/** The protocol that a program speaks: to the web server in front of it, or to clients directly. */
sealed abstract class FrontProtocol

object FrontProtocol {

  /** CGI: the web server starts the program for each request (RFC 3875). */
  case object Cgi extends FrontProtocol

  /** FastCGI: the web server connects to `address`. */
  final case class FastCgi(address: Address) extends FrontProtocol

  /** SCGI: the web server connects to `address`. */
  final case class Scgi(address: Address) extends FrontProtocol

  /** HTTP at `address`. */
  final case class Http(address: Address) extends FrontProtocol

  private[gateway] def name(front: FrontProtocol): String = front match {
    case Cgi        => "CGI"
    case FastCgi(_) => "FastCGI"
    case Scgi(_)    => "SCGI"
    case Http(_)    => "HTTP"
  }
}
