package needletail.examples.cgihost

import needletail.examples.{Listening, Options}
import needletail.gateway.GatewayArguments
import needletail.routing.Routes
import needletail.server.RunningServer

/** [[Programs]] with options. */
object Main {
  private val options   = Options("cgihost", "Serves the programs of a directory by CGI, PHP and others by FastCGI.")
  private val listening = new Listening(options)
  private val programs  =
    options.text("programs", "examples/cgihost/cgi-bin", "directory of the programs at /cgi-bin")
  private val processes = options.int("processes", 32, "programs that run at once", 1 to 10000)
  private val site      = options.text("php", "", "directory of PHP scripts, served at /; empty: none")
  private val phpCgi    = options.text("php-cgi", "/usr/bin/php-cgi", "what runs them")
  private val workers   = options.int("workers", 4, "processes of it", 1 to 1000)
  private val behind    =
    options.text("behind", "", "a FastCGI server for all other paths: HOST:PORT or a socket's path; empty: none")
  private val multiplex =
    options.int("multiplex", 1, "requests at once on one connection to it, if it says that it can", 1 to 1024)

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    val php =
      if (chosen(site).isEmpty) Routes()
      else Programs.php(chosen(site), chosen(phpCgi), chosen(workers))
    val other =
      if (chosen(behind).isEmpty) Routes()
      else
        GatewayArguments.address(chosen(behind)).map(Programs.behind(_, chosen(multiplex))) match {
          case Right(routes) => routes
          case Left(problem) =>
            System.err.println(s"option '--behind': $problem")
            sys.exit(2)
        }
    listening.serve(
      chosen,
      Routes(Programs.own, Programs.cgiBin(chosen(programs), chosen(processes)), php, other),
      onStart = tell
    )
  }

  private def tell(server: RunningServer): Unit =
    println(s"""listening on ${server.url}; try
               |  curl ${server.url}/cgi-bin/hello?Ann
               |  curl --data-binary @README.md ${server.url}/cgi-bin/upload
               |Ctrl-C ends it.""".stripMargin)
}
