package needletail.gateway

import java.io.{FileDescriptor, FileInputStream, FileOutputStream, IOException}

import scala.jdk.CollectionConverters._

import needletail.http.Handler
import needletail.io.{Address, Platform, SystemPlatform}
import needletail.server.{RunningServer, Server}

/**
 * The last line of a program that serves: behind any web server, or by itself.
 *
 * {{{
 *   def main(args: Array[String]): Unit = Gateway.run(routes, args)
 * }}}
 */
object Gateway {

  /**
   * Serves whoever has started the program:
   *
   *  1. the environment has a request (GATEWAY_INTERFACE, REQUEST_METHOD): it is a CGI program, and this returns when
   *     that request is answered. Nothing else can say otherwise, as such a program's arguments may be the client's;
   *  1. `config.front` names somebody: them;
   *  1. the environment has LISTEN_FDS and LISTEN_PID: systemd has opened the socket, HTTP is spoken there;
   *  1. standard input is a socket that listens: FastCGI, whose servers start programs that way;
   *  1. else HTTP, at `config.server.address`.
   *
   * It returns after SIGTERM or SIGINT, when what was under way is finished. `onStart` is called when it listens, not
   * in a CGI program. A process that serves one request of CGI starts no thread for it.
   *
   * @throws java.io.IOException when it cannot listen, naming the address
   */
  def run(
      handler: Handler,
      config: GatewayConfig = GatewayConfig(),
      onStart: RunningServer => Unit = server => println(s"listening on ${server.url}")
  ): Unit =
    if (isCgi) serveRequest(handler, config)
    else {
      val front = config.front.getOrElse(Started.front(config.server.address))
      Server.serve(start(handler, front, config)) { server =>
        front match {
          case Front.Http(_)                       => onStart(server)
          case Front.FastCgi(Address.Inherited(0)) =>
            () // whoever started it knows, and standard output is theirs
          case other => println(s"listening for ${Front.name(other)} on ${server.address}")
        }
      }
    }

  /**
   * The same with the options of [[GatewayArguments]]: `--port`, `--host`, `--fastcgi`, `--scgi`, `--mount`. Others, or
   * an address that cannot be listened on, are said on standard error, and the program exits with status 2 or 1.
   */
  def run(handler: Handler, args: Array[String]): Unit =
    GatewayArguments.parse(arguments(args).toList, GatewayConfig()) match {
      case Right(config) =>
        try run(handler, config)
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
   * @throws java.io.IOException when it cannot listen, naming the address
   */
  def start(handler: Handler, front: Front, config: GatewayConfig = GatewayConfig()): RunningServer =
    startOn(
      SystemPlatform,
      handler,
      front,
      config,
      // the servers that hand over standard input are those that start programs: mod_fcgid is one of them
      readsAhead = front == Front.FastCgi(Address.Inherited(0))
    )

  /** The same on another platform; see [[FastCgiProtocol]] for `readsAhead`. */
  private[needletail] def startOn(
      platform: Platform,
      handler: Handler,
      front: Front,
      config: GatewayConfig,
      readsAhead: Boolean
  ): RunningServer = {
    def at(address: Address): GatewayConfig = config.copy(server = config.server.copy(address = address))
    front match {
      case Front.FastCgi(address) =>
        val own = at(address)
        Server.start(own.server, new FastCgiProtocol(handler, own, Started.allowed, readsAhead), platform)
      case Front.Scgi(address) =>
        val own = at(address)
        Server.start(own.server, new ScgiProtocol(handler, own), platform)
      case Front.Http(address) => Server(handler, at(address).server).startOn(platform)
      case Front.Cgi           => throw new IllegalArgumentException("a CGI program does not listen")
    }
  }

  /** Was the program started for one request (RFC 3875 §4.1.4, §4.1.12)? */
  def isCgi: Boolean = {
    val interface = System.getenv("GATEWAY_INTERFACE")
    interface != null && interface.startsWith("CGI/") && System.getenv("REQUEST_METHOD") != null
  }

  /**
   * The arguments that may be believed: none of a CGI program, since servers make arguments of a query without `=`
   * (RFC 3875 §4.4; CVE-2012-1823 was that). To be used by who reads them by other means than `run`.
   */
  def arguments(args: Array[String]): Array[String] = if (isCgi) new Array[String](0) else args

  /** As the kernel has it, where it shows it. */
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
