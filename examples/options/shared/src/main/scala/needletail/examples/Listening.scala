package needletail.examples

import java.io.IOException
import java.nio.file.{InvalidPathException, Paths}

import needletail.gateway.{Front, Gateway, GatewayArguments, GatewayConfig}
import needletail.http.Handler
import needletail.io.{Address, Tls, TlsIdentity}
import needletail.server.{RunningServer, ServerConfig}

/** The options by which the example programs say whom they serve, and where they listen. */
final class Listening(options: Options) {
  private val host    = options.text("host", "127.0.0.1", "address to listen on")
  private val port    = options.int("port", 8080, "port to listen on; 0 picks a free one", 0 to 65535)
  private val fastcgi =
    options.text("fastcgi", "", "serve FastCGI there: HOST:PORT, a socket's path, or fd:N")
  private val scgi  = options.text("scgi", "", "serve SCGI there")
  private val cert  = options.text("cert", "", "speak https, with the certificates of this file (PEM; JVM)")
  private val key   = options.text("key", "", "the certificate's key (PEM, PKCS #8)")
  private val mount = options.text("mount", "", "where the server in front has put the program")

  /**
   * Serves `handler` over HTTP at the address chosen, or whoever else was chosen or has started the program; see
   * `Gateway.run`. What is wrong with an address is said on standard error, and the program exits.
   */
  def serve(
      chosen: Options.Values,
      handler: Handler,
      config: ServerConfig = ServerConfig(),
      onStart: RunningServer => Unit = server => println(s"listening on ${server.url}")
  ): Unit =
    run(chosen, config) { config =>
      Gateway.run(
        handler,
        GatewayConfig(config, front(chosen, config), Some(chosen(mount)).filter(_.nonEmpty)),
        onStart
      )
    }

  /** Who was chosen; nobody where only the default is there. */
  private def front(chosen: Options.Values, config: ServerConfig): Option[Front] = {
    def address(option: Options.Opt[String]): Address =
      GatewayArguments.address(chosen(option)).fold(refused, identity)
    if (chosen(fastcgi).nonEmpty) Some(Front.FastCgi(address(fastcgi)))
    else if (chosen(scgi).nonEmpty) Some(Front.Scgi(address(scgi)))
    else if (chosen.has(port) || chosen.has(host)) Some(Front.Http(config.address))
    else None
  }

  /** Who the server is for https; nobody where that was not chosen. */
  private def shown(chosen: Options.Values): Option[TlsIdentity] =
    (chosen(cert), chosen(key)) match {
      case ("", "")               => None
      case ("", _) | (_, "")      => refused("--cert and --key belong together")
      case _ if isBehind(chosen)  => refused("--cert and --key are for those who listen for HTTP themselves")
      case (certificates, secret) =>
        try Some(Tls.identity(Paths.get(certificates), Paths.get(secret)))
        catch { case e @ (_: IOException | _: InvalidPathException) => refused(e.getMessage) }
    }

  private def refused(problem: String): Nothing = {
    System.err.println(problem)
    sys.exit(2)
  }

  /**
   * Runs `serve` with the address chosen. Where no port was named and the usual one is taken, the next free one
   * is used; where it can't listen, it says so on standard error and exits with status 1.
   */
  def run(
      chosen: Options.Values,
      config: ServerConfig = ServerConfig()
  )(serve: ServerConfig => Unit): Unit = {
    val own                              = config.copy(tls = shown(chosen))
    def at(port: Int, others: Int): Unit =
      try serve(own.copy(address = Address.Tcp(chosen(host), port)))
      catch {
        case _: IOException if others > 0 => at(port + 1, others - 1)
        case e: IOException               =>
          System.err.println(e.getMessage)
          sys.exit(1)
      }
    at(chosen(port), if (isElsewhere(chosen)) 0 else Listening.Others)
  }

  private def isElsewhere(chosen: Options.Values): Boolean = chosen.has(port) || isBehind(chosen)

  private def isBehind(chosen: Options.Values): Boolean = chosen(fastcgi).nonEmpty || chosen(scgi).nonEmpty
}

object Listening {
  private final val Others = 20
}
