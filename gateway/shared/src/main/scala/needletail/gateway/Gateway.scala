package needletail.gateway

import java.io.{FileDescriptor, FileInputStream, FileOutputStream, IOException}

import scala.jdk.CollectionConverters._

import needletail.gateway.format.cgi.Variables
import needletail.gateway.serve.{CgiProcess, FastCgiProtocol, FrontProtocol, GatewayConfig, ScgiProtocol}
import needletail.http.Handler
import needletail.io.Address
import needletail.io.platform.Platform
import needletail.io.system.SystemPlatform
import needletail.server.{RunningServer, Server}

/**
 * The entry point of a server program, behind any web server or alone.
 *
 * {{{
 *   def main(args: Array[String]): Unit = Gateway.run(routes, args)
 * }}}
 */
object Gateway {

  /**
   * Serves by the protocol that matches how the program was started:
   *
   * 1. the environment has a request (GATEWAY_INTERFACE, REQUEST_METHOD): it is a CGI program, and this returns when
   *    that request is answered. This has precedence, as a CGI program's arguments may come from the client;
   * 1. `config.front` is set: that protocol;
   * 1. the environment has LISTEN_FDS and LISTEN_PID: systemd has opened the socket, and the protocol is HTTP;
   * 1. standard input is a listening socket: FastCGI, whose servers start programs that way;
   * 1. otherwise HTTP, at `config.server.address`.
   *
   * It returns after SIGTERM or SIGINT, when requests in progress are finished. `onStart` is called when it listens,
   * not in a CGI program. A CGI process starts no thread for its request.
   *
   * @throws java.io.IOException if it cannot listen, naming the address
   */
  def run(
      handler: Handler,
      config: GatewayConfig = GatewayConfig(),
      onStart: RunningServer => Unit = server => println(s"listening on ${server.url}")
  ): Unit =
    if (isCgi) serveRequest(handler, config)
    else {
      val front = config.front.getOrElse(LaunchMode.front(config.server.address))
      Server.serve(start(handler, front, config)) { server =>
        LaunchMode.doubt(System.getenv(_), FrontProtocol.name(front), server.address)
          .foreach(config.server.log.warn(_))
        front match {
          case FrontProtocol.Http(_)                       => onStart(server)
          case FrontProtocol.FastCgi(Address.Inherited(0)) =>
            () // its parent knows, and standard output is the parent's
          case other => println(s"listening for ${FrontProtocol.name(other)} on ${server.address}")
        }
      }
    }

  /** Whether a web server seems to have started this program, which then speaks CGI or FastCGI with it. */
  private[needletail] def isStartedByServer: Boolean = isCgi || LaunchMode.isFastCgi

  /**
   * The same with the options of [[GatewayArguments]]: `--port`, `--host`, `--fastcgi`, `--scgi`, `--mount`. `--help`
   * prints them. Unknown options, or an address that it cannot listen on, are reported on standard error, and the
   * program exits with status 2 or 1.
   */
  def run(handler: Handler, args: Array[String]): Unit = run(handler, args, GatewayConfig())

  /** The same with other settings, which the options change. */
  def run(handler: Handler, args: Array[String], config: GatewayConfig): Unit =
    if (!isCgi && arguments(args).contains("--help")) println(s"options:\n${GatewayArguments.help}")
    else runWith(handler, arguments(args).toList, config)

  private def runWith(handler: Handler, args: List[String], config: GatewayConfig): Unit =
    GatewayArguments.parse(args, config) match {
      case Right(chosen) =>
        try run(handler, chosen)
        catch {
          case e: IOException =>
            System.err.println(e.getMessage)
            sys.exit(1)
        }
      case Left(problem) =>
        System.err.println(problem)
        sys.exit(2)
    }

  /**
   * Starts to serve `front`; it listens when this returns.
   *
   * @throws java.io.IOException if it cannot listen, naming the address
   */
  def start(handler: Handler, front: FrontProtocol, config: GatewayConfig = GatewayConfig()): RunningServer =
    startOn(
      SystemPlatform,
      handler,
      front,
      config,
      // web servers that pass a socket as standard input are those that start programs, such as mod_fcgid
      readsAhead = front == FrontProtocol.FastCgi(Address.Inherited(0))
    )

  /** The same on another platform; see [[FastCgiProtocol]] for `readsAhead`. */
  private[needletail] def startOn(
      platform: Platform,
      handler: Handler,
      front: FrontProtocol,
      config: GatewayConfig,
      readsAhead: Boolean
  ): RunningServer = {
    def at(address: Address): GatewayConfig = config.copy(server = config.server.copy(address = address))
    front match {
      case FrontProtocol.FastCgi(address) =>
        val own = at(address)
        Server.start(own.server, new FastCgiProtocol(handler, own, LaunchMode.allowed, readsAhead), platform)
      case FrontProtocol.Scgi(address) =>
        val own = at(address)
        Server.start(own.server, new ScgiProtocol(handler, own), platform)
      case FrontProtocol.Http(address) => Server(handler, at(address).server).startOn(platform)
      case FrontProtocol.Cgi           => throw new IllegalArgumentException("a CGI program does not listen")
    }
  }

  /** Whether the program was started for one request (RFC 3875 §4.1.4, §4.1.12). */
  def isCgi: Boolean = {
    val interface = System.getenv("GATEWAY_INTERFACE")
    interface != null && interface.startsWith("CGI/") && System.getenv("REQUEST_METHOD") != null
  }

  /**
   * The arguments that can be trusted: none in a CGI program, since web servers make arguments of a query without `=`
   * (RFC 3875 §4.4; see CVE-2012-1823). For programs that parse arguments without `run`.
   */
  def arguments(args: Array[String]): Array[String] = if (isCgi) new Array[String](0) else args

  /** The environment as stored by the kernel, if accessible. */
  private def environment(): Variables =
    try {
      val file = new FileInputStream("/proc/self/environ")
      try Variables.ofEnvironment(file.readAllBytes())
      finally file.close()
    } catch { case _: IOException => Variables.of(System.getenv().asScala) }

  private def serveRequest(handler: Handler, config: GatewayConfig): Unit =
    CgiProcess.run(
      handler,
      config,
      environment(),
      new FileInputStream(FileDescriptor.in),
      new FileOutputStream(FileDescriptor.out)
    )
}
