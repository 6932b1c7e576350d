package needletail.gateway

import needletail.gateway.serve.{FrontProtocol, GatewayConfig}
import needletail.io.Address

/** The command line options that choose the protocol and the address. */
object GatewayArguments {

  /** The help text, a line for each option. */
  val help: String =
    """  --port N           serve HTTP on that port; 0 picks a free one
      |  --host TEXT        on that address
      |  --fastcgi ADDRESS  serve FastCGI at this address: HOST:PORT, the path of a socket, or fd:N
      |  --scgi ADDRESS     serve SCGI at this address
      |  --mount PATH       path at which the web server mounts the program""".stripMargin

  /** Applies `args` to `config`. Left is the error. Options are written `--name value` or `--name=value`. */
  def parse(args: List[String], config: GatewayConfig): Either[String, GatewayConfig] = args match {
    case Nil           => Right(config)
    case first :: more =>
      val equals = first.indexOf('=')
      if (equals > 0) one(first.take(equals), first.drop(equals + 1), more, config)
      else
        more match {
          case value :: rest => one(first, value, rest, config)
          case Nil => Left(s"unknown option '$first', or an option without its value; the options are\n$help")
        }
  }

  private def one(
      name: String,
      value: String,
      more: List[String],
      config: GatewayConfig
  ): Either[String, GatewayConfig] = {
    def at(make: Address => FrontProtocol): Either[String, GatewayConfig] =
      address(value).left.map(problem => s"option '$name': $problem").flatMap(a =>
        parse(more, config.copy(front = Some(make(a))))
      )
    def http(change: Address.Tcp => Address.Tcp): Either[String, GatewayConfig] = {
      val address = change(config.server.address match {
        case tcp: Address.Tcp => tcp
        case _                => Address.Tcp("127.0.0.1", 8080)
      })
      parse(
        more,
        config.copy(server = config.server.copy(address = address), front = Some(FrontProtocol.Http(address)))
      )
    }
    name match {
      case "--port" =>
        value.toIntOption.filter(port => port >= 0 && port <= 65535) match {
          case Some(port) => http(_.copy(port = port))
          case None       => Left(s"option '--port': expected a whole number from 0 to 65535, got '$value'")
        }
      case "--host"    => http(_.copy(host = value))
      case "--fastcgi" => at(FrontProtocol.FastCgi(_))
      case "--scgi"    => at(FrontProtocol.Scgi(_))
      case "--mount"   =>
        if (value.startsWith("/")) parse(more, config.copy(mount = Some(value)))
        else Left(s"option '--mount': expected a path that begins with a slash, got '$value'")
      case _ => Left(s"unknown option '$name'; the options are\n$help")
    }
  }

  /**
   * Parses an address of an option: `HOST:PORT`, `:PORT` for all addresses, a socket's path, or `fd:N`. Left is the
   * error.
   */
  def address(text: String): Either[String, Address] = {
    val colon               = text.lastIndexOf(':')
    def number: Option[Int] = text.substring(colon + 1).toIntOption.filter(n => n >= 0 && n <= 65535)
    val expected            = Left(s"expected HOST:PORT, the path of a socket, or fd:N, got '$text'")
    if (text.startsWith("/") || text.startsWith("./")) Right(Address.Unix(text))
    else if (text.startsWith("unix:") && text.length > 5) Right(Address.Unix(text.substring(5)))
    else if (colon < 0) expected
    else
      number match {
        case Some(n) if text.startsWith("fd:") => Right(Address.Inherited(n))
        case Some(n)                           =>
          Right(Address.Tcp(text.substring(0, colon).stripPrefix("[").stripSuffix("]"), n))
        case None => expected
      }
  }
}
