import java.net.URI
import java.util.concurrent.TimeUnit
import sbt._
import scala.io.Source

/** What a server answered and what it wrote to standard error, from its start to its end. */
final case class ServerOutput(answer: String, errors: String)

object ServerOutput {
  def of(program: File): ServerOutput = IO.withTemporaryFile("errors", "txt") { errors =>
    val process = new ProcessBuilder(program.getPath).redirectError(errors).start()
    try {
      val killer = new Thread(() => if (!process.waitFor(60, TimeUnit.SECONDS)) process.destroyForcibly())
      killer.setDaemon(true)
      killer.start()
      val lines = Source.fromInputStream(process.getInputStream).getLines()
      val url   = lines.collectFirst { case Listening(url) => url }
        .getOrElse(throw new MessageOnlyException(s"$program ended: ${IO.read(errors)}"))
      val connection = URI.create(s"$url/hello/Ann").toURL.openConnection()
      connection.setConnectTimeout(5000)
      connection.setReadTimeout(5000)
      val in     = connection.getInputStream
      val answer =
        try Source.fromInputStream(in).mkString
        finally in.close()
      process.toHandle.destroy()
      lines.foreach(_ => ())
      process.waitFor()
      ServerOutput(answer, IO.read(errors))
    } finally { process.destroyForcibly(); () }
  }

  private val Listening = """listening on (http://\S+)""".r
}
