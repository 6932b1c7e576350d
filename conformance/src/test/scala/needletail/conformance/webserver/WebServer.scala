package needletail.conformance.webserver

import java.io.IOException
import java.net.{InetAddress, InetSocketAddress, ServerSocket, Socket}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.attribute.PosixFilePermissions
import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.TimeUnit

import scala.concurrent.duration._

import needletail.testing.Eventually

/**
 * A web server of another make, started for a suite: on loopback, on a port that was free a moment ago, with a
 * configuration and a directory of its own, and ended by its process.
 */
final class WebServer private (
    val kind: WebServer.Kind,
    val directory: Path,
    val port: Int,
    process: Process
) {

  /** What it logged, its programs' errors among it. */
  def log: String = {
    val file = directory.resolve("error.log")
    if (Files.exists(file)) new String(Files.readAllBytes(file), UTF_8) else ""
  }

  /** Ends it, and waits until it has ended. */
  def stop(): Unit = {
    process.destroy()
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      process.toHandle.descendants().forEach { child => child.destroyForcibly(); () }
      process.destroyForcibly()
      process.waitFor()
    }
    WebServer.delete(directory)
  }
}

object WebServer {

  /** How a server is configured and started. */
  trait Kind {
    def name: String

    /** What Debian calls what is needed. */
    def packages: String

    /** Where it is, if it is installed. */
    def binary: Option[Path]

    /** The text of its configuration. */
    def configuration(directory: Path, port: Int): String

    def command(binary: Path, configuration: Path): Seq[String]
  }

  /** A program on the PATH, or where Debian puts servers. */
  def find(name: String): Option[Path] =
    (sys.env.getOrElse("PATH", "").split(':').toSeq ++ Seq("/usr/sbin", "/usr/local/sbin"))
      .map(Paths.get(_).resolve(name))
      .find(Files.isExecutable(_))

  val isRoot: Boolean = System.getProperty("user.name") == "root"

  /** Tried again, as another process may have taken the port meanwhile. */
  def start(kind: Kind, prepare: Path => Unit = _ => ()): WebServer =
    Iterator.continually(attempt(kind, prepare)).take(3).collectFirst { case Some(server) =>
      server
    }.getOrElse(
      throw new IllegalStateException(s"${kind.name} does not listen")
    )

  private def attempt(kind: Kind, prepare: Path => Unit): Option[WebServer] = {
    val binary    = kind.binary.getOrElse(throw new IllegalStateException(s"${kind.name} is not installed"))
    val directory = Files.createTempDirectory("needletail-web-")
    // what a server does as another user, it does here
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"))
    prepare(directory)
    val port          = freePort()
    val configuration = directory.resolve("server.conf")
    Files.write(configuration, kind.configuration(directory, port).getBytes(UTF_8))
    val output  = directory.resolve("output").toFile
    val builder = new ProcessBuilder(kind.command(binary, configuration): _*)
      .redirectErrorStream(true)
      .redirectOutput(output)
    builder.environment.put(
      "TMPDIR",
      directory.toString
    ) // where Apache's mod_fcgid leaves what its processes share
    val process = builder.start()
    Eventually.holds(!process.isAlive || listens(port), within = 15.seconds)
    if (process.isAlive && listens(port)) Some(new WebServer(kind, directory, port, process))
    else {
      System.err.println(
        s"${kind.name} did not start: ${new String(Files.readAllBytes(output.toPath), UTF_8)}"
      )
      process.destroyForcibly()
      delete(directory)
      None
    }
  }

  private def freePort(): Int = {
    val socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))
    try socket.getLocalPort
    finally socket.close()
  }

  private def listens(port: Int): Boolean = {
    val socket = new Socket()
    try {
      socket.connect(new InetSocketAddress("127.0.0.1", port), 1000)
      true
    } catch { case _: IOException => false }
    finally socket.close()
  }

  private def delete(directory: Path): Unit = {
    val files = Files.walk(directory)
    try files.sorted(java.util.Comparator.reverseOrder[Path]).forEach { file =>
        Files.deleteIfExists(file); ()
      }
    catch { case _: IOException => () } // it may still be letting go of a file
    finally files.close()
  }
}
