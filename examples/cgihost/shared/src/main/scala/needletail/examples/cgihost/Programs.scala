package needletail.examples.cgihost

import needletail.gateway.host._
import needletail.http.{Priority, Response}
import needletail.io.Address
import needletail.routing._

/** Programs run by CGI and FastCGI, beside routes of this program. */
object Programs {

  /**
   * The programs of `directory` below `/cgi-bin`, at most `processes` of them at once, with low priority under
   * overload.
   */
  def cgiBin(directory: String, processes: Int, host: ProgramHostConfig = ProgramHostConfig()): Routes =
    cgi("/cgi-bin", directory, CgiConfig(processes = processes, host = host)).priority(Priority.Low)

  /**
   * The PHP scripts of a directory, for all paths that no other route has, run by processes that end with this
   * program.
   */
  def php(directory: String, command: String, processes: Int, host: ProgramHostConfig): Routes =
    fastcgi(
      "/",
      Workers(WorkersConfig(List(command, "-b", "{socket}"), count = processes)),
      UpstreamConfig(root = Some(directory), extension = ".php", index = "index.php", host = host)
    )

  /** A FastCGI server that is running already, for all paths that no other route has. */
  def behind(address: Address, multiplex: Int, host: ProgramHostConfig = ProgramHostConfig()): Routes =
    fastcgi("/", address, UpstreamConfig(connections = 512, multiplex = multiplex, host = host))

  val own: Routes = GET / "health" to Response.ok("ok")
}
