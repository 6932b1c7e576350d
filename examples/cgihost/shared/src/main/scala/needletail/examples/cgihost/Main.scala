package needletail.examples.cgihost

import needletail.examples.{Listening, Options}
import needletail.gateway.GatewayArguments
import needletail.gateway.host.{HostMetrics, ProgramHostConfig}
import needletail.routing.Routes
import needletail.server.{OverloadConfig, RunningServer, ServerConfig}

/** [[Programs]] with options. */
object Main {
  private[cgihost] val options =
    Options("cgihost", "Serves the programs of a directory over CGI, and PHP and others over FastCGI.")
  private val listening = new Listening(options)
  private val programs  =
    options.text("programs", "examples/cgihost/cgi-bin", "directory of the programs at /cgi-bin")
  private val functions =
    options.text(
      "functions",
      "",
      "directory of programs that are started once, with --fastcgi, and served at /functions; empty: none"
    )
  private val processes = options.int("processes", 32, "maximum of concurrent programs", 1 to 10000)
  private val site      = options.text("php", "", "directory of PHP scripts, served at /; empty: none")
  private val phpCgi    = options.text("php-cgi", "/usr/bin/php-cgi", "the program that runs these scripts")
  private val workers   =
    options.int("workers", 4, "number of processes for PHP, and for each function", 1 to 1000)
  private val behind =
    options.text(
      "behind",
      "",
      "FastCGI server for all other paths: HOST:PORT or a socket's path; empty: none"
    )
  private val multiplex =
    options.int("multiplex", 1, "concurrent requests on one connection to it, if it supports them", 1 to 1024)
  private val unlimited =
    options.flag("no-overload-control", "turn overload control off")

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    val metrics = new HostMetrics
    val host    = ProgramHostConfig(metrics = Some(metrics))
    listening.serve(
      chosen,
      routes(chosen, host).fold(refused, identity),
      ServerConfig(
        overload = if (chosen(unlimited)) OverloadConfig.off else OverloadConfig(),
        metrics = Seq(metrics)
      ),
      onStart = tell(chosen(programs), isOwn = chosen.has(programs))
    )
  }

  /** Left says which option cannot be served. */
  private[cgihost] def routes(chosen: Options.Values, host: ProgramHostConfig): Either[String, Routes] =
    for {
      cgi    <- cgiBin(chosen, host)
      kept   <- kept(chosen, host)
      others <- others(chosen, host)
    } yield Routes(Programs.own, cgi, kept, others)

  private def named[A](option: String)(result: Either[String, A]): Either[String, A] =
    result.left.map(reason => s"option '--$option': $reason")

  /** The directory that nobody has chosen may be missing where something else is served. */
  private def cgiBin(chosen: Options.Values, host: ProgramHostConfig): Either[String, Routes] = {
    val isAlone = Seq(functions, site, behind).forall(chosen(_).isEmpty)
    Programs.files(chosen(programs)) match {
      case Left(_) if !chosen.has(programs) && !isAlone => Right(Routes())
      case found                                        =>
        named("programs")(found).map(_ => Programs.cgiBin(chosen(programs), chosen(processes), host))
    }
  }

  private def kept(chosen: Options.Values, host: ProgramHostConfig): Either[String, Routes] =
    chosen(functions) match {
      case ""        => Right(Routes())
      case directory =>
        named("functions")(Programs.functions(directory, chosen(workers), host)).map(_.routes)
    }

  /** The handler of paths that no other route has. */
  private def others(chosen: Options.Values, host: ProgramHostConfig): Either[String, Routes] =
    (chosen(site), chosen(behind)) match {
      case ("", "") => Right(Routes())
      case (_, "")  =>
        for {
          _       <- named("php")(Programs.files(chosen(site)))
          command <- named("php-cgi")(Programs.executable(chosen(phpCgi)))
        } yield Programs.php(chosen(site), command, chosen(workers), host)
      case ("", _) =>
        named("behind")(GatewayArguments.address(chosen(behind)))
          .map(Programs.behind(_, chosen(multiplex), host))
      case _ => Left("options '--php' and '--behind' exclude each other: both serve all other paths")
    }

  private def refused(problem: String): Nothing = {
    System.err.println(problem)
    sys.exit(2)
  }

  private def tell(directory: String, isOwn: Boolean)(server: RunningServer): Unit = {
    val url   = Listening.forCurl(server)
    val hints =
      if (isOwn) Seq(s"curl $url/cgi-bin/PROGRAM, of those in $directory")
      else Seq(s"curl $url/cgi-bin/hello?Ann", s"curl --data-binary @README.md $url/cgi-bin/upload")
    println(s"listening on ${server.url}; try${hints.map("\n  " + _).mkString}\nCtrl-C ends it.")
  }
}
