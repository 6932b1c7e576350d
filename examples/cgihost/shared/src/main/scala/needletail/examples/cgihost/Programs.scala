package needletail.examples.cgihost

import java.io.File

import needletail.gateway.host._
import needletail.http.{Priority, Response}
import needletail.io.Address
import needletail.routing._

/** Programs run over CGI and FastCGI, next to routes of this program. */
object Programs {

  /**
   * The programs of `directory` below `/cgi-bin`, at most `processes` of them at once, with low priority under
   * overload.
   */
  def cgiBin(directory: String, processes: Int, host: ProgramHostConfig = ProgramHostConfig()): Routes =
    cgi("/cgi-bin", directory, CgiConfig(processes = processes, host = host)).priority(Priority.Low)

  /**
   * Each program of `directory` at `/functions/NAME`, run by processes that are started now, with `--fastcgi` and the
   * path of a socket, and end with this program. The same programs can be served by [[cgiBin]], with a process for each
   * request. Left is the reason why the directory cannot be used.
   */
  def functions(directory: String, processes: Int, host: ProgramHostConfig): Either[String, Functions] =
    files(directory).map(_.sortBy(_.getName).filter(f => isProgram(f) && !f.isHidden)).flatMap { programs =>
      if (programs.isEmpty) Left(s"there is no executable file in $directory")
      else
        Right(new Functions(
          programs.map { program =>
            val command = List(program.getAbsolutePath, "--fastcgi", "{socket}")
            program.getName -> Workers(WorkersConfig(command, count = processes))
          },
          host
        ))
    }

  /** What a directory has; Left says that it cannot be read. */
  def files(directory: String): Either[String, Vector[File]] =
    Option(new File(directory).listFiles()).map(_.toVector).toRight(
      s"$directory is not a readable directory"
    )

  /** The absolute path of a program; Left says that it is none. */
  def executable(program: String): Either[String, String] = {
    val file = new File(program)
    if (isProgram(file)) Right(file.getAbsolutePath) else Left(s"$program is not an executable file")
  }

  private def isProgram(file: File) = file.isFile && file.canExecute

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

  /** Functions by their names. */
  final class Functions(workers: Seq[(String, Workers)], host: ProgramHostConfig) extends AutoCloseable {
    val routes: Routes = workers
      .map { case (name, processes) =>
        fastcgi(s"/functions/$name", processes, UpstreamConfig(connections = 512, host = host))
      }
      .reduce(_ ++ _)

    /** Ends their processes. They end with this program, too. */
    def close(): Unit = workers.foreach(_._2.close())
  }

  val own: Routes = GET / "health" to Response.ok("ok")
}
