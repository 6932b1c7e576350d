package needletail.examples

import java.io.IOException
import java.nio.file.{InvalidPathException, Path, Paths}

import scala.concurrent.duration.Duration

import needletail.gateway.{FrontProtocol, Gateway, GatewayArguments, GatewayConfig}
import needletail.http.Handler
import needletail.io.{Address, Tls, TlsCertificate, TlsClientAuth, TlsIdentity, TlsProfile, TlsServerConfig}
import needletail.server.{AdminConfig, CannotListen, RunningServer, ServerConfig}

/**
 * The options for the protocol and the address of the example programs.
 *
 * @param behind whether the program can be behind a web server: it has `--fastcgi`, `--scgi` and `--mount`
 * @param admin whether it has `--admin` and `--admin-host`, for /health, /ready and /metrics
 */
final class Listening(options: Options, behind: Boolean = true, admin: Boolean = true) {
  private val host = options.text("host", "127.0.0.1", "address to listen on, or the path of a Unix socket")
  private val port = options.int("port", 8080, "port to listen on; 0 picks a free one", 0 to 65535)
  private val fastcgi = optional(behind)(
    options.text("fastcgi", "", "serve FastCGI at this address: HOST:PORT, the path of a socket, or fd:N")
  )
  private val scgi  = optional(behind)(options.text("scgi", "", "serve SCGI at this address"))
  private val certs =
    options.texts("cert", "serve over TLS, with this certificate chain (PEM; may be repeated)")
  private val keys =
    options.texts("key", "private key of the certificate (PEM); one for each --cert, in the same order")
  private val clientCa =
    options.text("client-ca", "", "require client certificates issued by an authority in this file")
  private val clientCrl =
    options.text("client-crl", "", "refuse client certificates that are revoked by the lists in this file")
  private val checkFiles = options.duration(
    "check-files",
    Duration.Zero,
    "how often to look whether these files have changed; 0s: only on SIGHUP"
  )
  private val profile = options.choice(
    "tls",
    TlsProfile.Intermediate: TlsProfile,
    "TLS profile: intermediate or modern",
    TlsProfile.all
  )
  private val mount =
    optional(behind)(options.text("mount", "", "path at which the web server mounts the program"))
  private val adminPort = optional(admin)(
    options.int("admin", 0, "port for /health, /ready and /metrics; 0: none", 0 to 65535)
  )
  private val adminHost = optional(admin)(options.text("admin-host", "127.0.0.1", "address of that port"))

  private def optional[A](declared: Boolean)(option: => Options.Opt[A]): Option[Options.Opt[A]] =
    if (declared) Some(option) else None

  private def text(chosen: Options.Values, option: Option[Options.Opt[String]]): String =
    option.fold("")(chosen(_))

  /**
   * Serves `handler` over HTTP at the chosen address, or by another protocol if the options or the parent process ask
   * for it; see `Gateway.run`. Errors of an address are printed to standard error, and the program exits.
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
        options.made(
          GatewayConfig(config, front(chosen, config), Some(text(chosen, mount)).filter(_.nonEmpty))
        ),
        onStart
      )
    }

  /** The chosen protocol; None for the default. */
  private def front(chosen: Options.Values, config: ServerConfig): Option[FrontProtocol] = {
    def address(option: Option[Options.Opt[String]]): Address =
      GatewayArguments.address(text(chosen, option)).fold(refused, identity)
    if (text(chosen, fastcgi).nonEmpty && text(chosen, scgi).nonEmpty)
      refused("--fastcgi and --scgi cannot be used together")
    else if (text(chosen, fastcgi).nonEmpty) Some(FrontProtocol.FastCgi(address(fastcgi)))
    else if (text(chosen, scgi).nonEmpty) Some(FrontProtocol.Scgi(address(scgi)))
    else if (chosen.has(port) || chosen.has(host)) Some(FrontProtocol.Http(config.address))
    else None
  }

  /** The TLS identity; None if not chosen. */
  private def shown(chosen: Options.Values): Option[TlsIdentity] =
    if (chosen(certs).length != chosen(keys).length)
      refused(
        s"--cert and --key must be given together: there are ${chosen(certs).length} and ${chosen(keys).length}"
      )
    else if (chosen(certs).nonEmpty)
      if (isBehind(chosen)) refused("--cert and --key cannot be used behind a web server")
      else if (chosen(clientCrl).nonEmpty && chosen(clientCa).isEmpty)
        refused("--client-crl needs --client-ca")
      else
        try Some(Tls.server(configured(chosen)))
        catch { case e @ (_: IOException | _: InvalidPathException) => unusable(e.getMessage) }
    else if (Seq[Options.Opt[_]](clientCa, clientCrl, checkFiles, profile).exists(chosen.has(_)))
      refused("--client-ca, --client-crl, --check-files and --tls need --cert and --key")
    else None

  /** Why an option for browsers that use HTTPS has no effect: the program speaks HTTP with them itself, without TLS. */
  private[examples] def problemWithoutTls(chosen: Options.Values, option: String): Option[String] =
    if (chosen(certs).nonEmpty || isBehind(chosen) || Gateway.isStartedByServer) None
    else Some(s"$option needs --cert and --key")

  /** Refuses such an option. */
  def requireTls(chosen: Options.Values, option: String): Unit =
    problemWithoutTls(chosen, option).foreach(refused(_))

  private def configured(chosen: Options.Values): TlsServerConfig = TlsServerConfig(
    chosen(certs).zip(chosen(keys)).map { case (chain, key) => TlsCertificate(chain, key) },
    profile = chosen(profile),
    clients = file(chosen(clientCa)).map(TlsClientAuth(_, revoked = file(chosen(clientCrl)))),
    checkFiles = chosen(checkFiles)
  )

  private def file(name: String): Option[Path] = if (name.isEmpty) None else Some(Paths.get(name))

  private def refused(problem: String): Nothing = options.refuse(problem)

  /** A file is, which the help says nothing of: one line, as it names the file. */
  private def unusable(problem: String): Nothing = {
    System.err.println(problem)
    sys.exit(2)
  }

  /**
   * Runs `serve` with the chosen address. If no port was given and the default one is in use, the next free one is
   * used. If it cannot listen, it prints the error to standard error and exits with status 1.
   */
  def run(
      chosen: Options.Values,
      config: ServerConfig = ServerConfig()
  )(serve: ServerConfig => Unit): Unit = {
    val own = config.copy(
      tls = shown(chosen),
      admin = adminPort.map(chosen(_)).filter(_ > 0).map(administered(chosen, config.admin, _))
    )
    def at(port: Int, others: Int): Unit =
      try serve(own.copy(address = address(chosen, port)))
      catch {
        case e: IOException if others > 0 && Listening.isInUse(e) => at(port + 1, others - 1)
        case e: IOException                                       =>
          System.err.println(e.getMessage)
          sys.exit(1)
      }
    at(chosen(port), if (isElsewhere(chosen)) 0 else Listening.Others)
  }

  /** The program's own settings of its administration, at the chosen address. */
  private def administered(chosen: Options.Values, own: Option[AdminConfig], port: Int): AdminConfig =
    own.getOrElse(AdminConfig(port)).copy(port = port, host = text(chosen, adminHost))

  private def address(chosen: Options.Values, port: Int): Address =
    if (!isSocketPath(chosen)) Address.Tcp(chosen(host), port)
    else if (chosen.has(this.port)) refused("--port cannot be used with the path of a Unix socket")
    else GatewayArguments.address(chosen(host)).fold(refused, identity)

  private def isSocketPath(chosen: Options.Values): Boolean =
    Listening.PathStarts.exists(chosen(host).startsWith(_))

  private def isElsewhere(chosen: Options.Values): Boolean =
    chosen.has(port) || isSocketPath(chosen) || isBehind(chosen)

  private def isBehind(chosen: Options.Values): Boolean =
    text(chosen, fastcgi).nonEmpty || text(chosen, scgi).nonEmpty
}

object Listening {

  /** How `--host` begins if it is the path of a Unix socket. */
  private val PathStarts = Seq("/", "./", "unix:")

  private final val Others = 20

  /** Whether another program listens there. */
  private[examples] def isInUse(e: IOException): Boolean = e match {
    case why: CannotListen => why.isInUse
    case _                 => false
  }

  /** What curl is told to reach a server, before the path. */
  def forCurl(server: RunningServer): String = forCurl(server.address, server.url)

  private[examples] def forCurl(address: Address, url: String): String = address match {
    case Address.Unix(path) => s"--unix-socket $path http://localhost"
    case _                  => url
  }
}
