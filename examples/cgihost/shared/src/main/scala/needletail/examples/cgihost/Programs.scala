package needletail.examples.cgihost

import needletail.gateway.host._
import needletail.http.{Priority, Response}
import needletail.io.Address
import needletail.routing._

/** Other people's programs beside routes of our own. */
object Programs {

  /**
   * The programs of `directory` below `/cgi-bin`, `processes` of them at once; they give way to others when there is
   * more to do than can be done.
   */
  def cgiBin(directory: String, processes: Int, host: HostConfig = HostConfig()): Routes =
    cgi("/cgi-bin", directory, CgiConfig(processes = processes, host = host)).priority(Priority.Low)

  /** The PHP scripts of a directory, for all paths that no other route has, by processes that end with this program. */
  def php(directory: String, command: String, processes: Int, host: HostConfig): Routes =
    fastcgi(
      "/",
      Workers(WorkersConfig(List(command, "-b", "{socket}"), count = processes)),
      UpstreamConfig(root = Some(directory), extension = ".php", index = "index.php", host = host)
    )

  /** A FastCGI server that somebody else has started, for all paths that no other route has. */
  def behind(address: Address, multiplex: Int, host: HostConfig = HostConfig()): Routes =
    fastcgi("/", address, UpstreamConfig(connections = 512, multiplex = multiplex, host = host))

  val own: Routes = GET / "health" to Response.ok("ok")
}
