package needletail.conformance.harness

import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.collection.mutable.ArrayBuffer
import scala.io.Source
import scala.util.control.NonFatal

import needletail.conformance.client.Wire
import needletail.testing.{Certificate, KernelSockets}

/** A server under test: a child process, ended with SIGTERM, looked at from outside through /proc. */
final class Program private (val path: Path, process: Process, isTls: Boolean) {
  private val lines                   = ArrayBuffer.empty[String]
  private val announced               = new CountDownLatch(1)
  @volatile private var announcedPort = 0

  private val reader = new Thread(() => collect(), s"output of ${path.getFileName}")
  reader.setDaemon(true)
  reader.start()

  def name: String = path.getFileName.toString

  def port: Int = announcedPort

  /** @param timeout for each step of the handshake, in milliseconds */
  def connect(receiveBuffer: Int = 0, timeout: Int = 20000): Wire =
    Wire.connect(port, receiveBuffer, isTls, timeout)

  def isAlive: Boolean = process.isAlive

  /** What the program wrote, both streams, oldest first; at most the first ten thousand lines. */
  def output: Seq[String] = lines.synchronized(lines.toList)

  /** Lines of a Java or Scala stack trace: no input may bring them about. */
  def stackTraces: Seq[String] =
    output.filter(line => line.matches("""\s+at [\w$.<>/]+\(.*\)\s*""") || line.contains("Unhandled"))

  def terminate(): Unit = process.destroy()

  /** The exit status, or None when the program is still there after so many milliseconds. */
  def exitStatus(millis: Long): Option[Int] =
    if (process.waitFor(millis, TimeUnit.MILLISECONDS)) Some(process.exitValue) else None

  def kill(): Unit = { process.destroyForcibly(); () }

  /** Open descriptors, or None where the system has no /proc. */
  def descriptors: Option[Int] = {
    val directory = Paths.get(s"/proc/$serverPid/fd")
    if (!Files.isDirectory(directory)) None
    else
      try {
        val entries = Files.list(directory)
        try Some(entries.count().toInt)
        finally entries.close()
      } catch { case NonFatal(_) => None }
  }

  /** Resident memory in bytes, or None where the system has no /proc. */
  def residentBytes: Option[Long] =
    try {
      val source = Source.fromFile(s"/proc/$serverPid/status", "ISO-8859-1")
      try source.getLines().find(_.startsWith("VmRSS:")).map(_.split("\\s+")(1).toLong * 1024)
      finally source.close()
    } catch { case NonFatal(_) => None }

  /** Whether a socket listens on its port, as the kernel reports; false without /proc. */
  def listens: Boolean = KernelSockets.at(port).exists(_.listens)

  /** Has it accepted that connection and taken all that was sent to it? Without /proc, taken for granted. */
  def hasTaken(wire: Wire): Boolean = {
    val known = KernelSockets.at(port)
    known.isEmpty || known.exists(s => s.peer == wire.port && s.isHeld && s.unread == 0)
  }

  /** A launcher may start the server as a child of its own rather than become it. */
  def serverPid: Long = {
    val children = process.toHandle.descendants().toArray.map(_.asInstanceOf[ProcessHandle].pid)
    children.lastOption.getOrElse(process.pid)
  }

  private def collect(): Unit = {
    val source = Source.fromInputStream(process.getInputStream, "UTF-8")
    try
      source.getLines().foreach { line =>
        lines.synchronized(if (lines.size < 10000) lines += line)
        if (announcedPort == 0) Program.Address.findFirstMatchIn(line).foreach { found =>
          announcedPort = found.group(1).toInt
          announced.countDown()
        }
      }
    catch { case NonFatal(_) => () } // the pipe breaks when the process is killed
  }

  private def awaitAddress(millis: Long): Boolean = {
    val deadline = Wire.in(millis)
    var said     = false
    while (!said && process.isAlive && System.nanoTime() < deadline)
      said = announced.await(100, TimeUnit.MILLISECONDS)
    said
  }
}

object Program {
  private val Address = """(?:https?://|for \w+ on )127\.0\.0\.1:(\d+)""".r

  /** Whether the suites speak TLS to the programs, for which NEEDLETAIL_TLS is set. */
  val overTls: Boolean = sys.env.get("NEEDLETAIL_TLS").exists(_.nonEmpty)

  /** The limits every program is started with unless a suite asks for others. */
  val headTimeoutMillis = 2000
  val bodyTimeoutMillis = 2000
  val idleTimeoutMillis = 4000
  val maxBody           = 2000000

  /** Programs to test: NEEDLETAIL_PROGRAMS (property or environment, paths with commas between), else dist/bin. */
  lazy val paths: Seq[Path] =
    sys.props.get(
      "NEEDLETAIL_PROGRAMS"
    ).orElse(sys.env.get("NEEDLETAIL_PROGRAMS")).filter(_.trim.nonEmpty) match {
      case Some(listed) => listed.split(",").toSeq.map(_.trim).filter(_.nonEmpty).map(Paths.get(_))
      case None         =>
        Seq("reference", "reference-native").map(buildRoot.resolve("dist").resolve("bin").resolve(_))
    }

  /** @param more arguments behind the usual ones, over which they prevail */
  def start(path: Path, maxBody: Int = maxBody, more: Seq[String] = Nil, tls: Boolean = overTls): Program = {
    if (!Files.isExecutable(path))
      throw new IllegalStateException(
        s"$path is missing: ./sbt dist makes it, NEEDLETAIL_PROGRAMS names others"
      )
    val command = Seq(
      path.toAbsolutePath.toString,
      "--host",
      "127.0.0.1",
      "--port",
      "0",
      "--workers",
      "1",
      "--head-timeout",
      s"${headTimeoutMillis / 1000}s",
      "--body-timeout",
      s"${bodyTimeoutMillis / 1000}s",
      "--idle-timeout",
      s"${idleTimeoutMillis / 1000}s",
      "--max-body",
      maxBody.toString
    ) ++ (if (tls) Seq("--cert", Certificate.local.file.toString, "--key", Certificate.local.key.toString)
          else Nil)
    announced(path, command ++ more, tls)
  }

  /** Any program of dist/bin, with exactly these arguments, once it has said where it listens. */
  def run(name: String, arguments: String*): Program = {
    val path = distributed(name)
    announced(path, path.toString +: arguments)
  }

  /** The same where at most so many descriptors may be open, as `ulimit -n` does it. */
  def runWithDescriptors(most: Int, name: String, arguments: String*): Program = {
    val path = distributed(name)
    announced(path, Seq("sh", "-c", s"ulimit -n $most && exec \"$$0\" \"$$@\"", path.toString) ++ arguments)
  }

  /** The exit status of a program that ends by itself, and the lines that it wrote. */
  def ended(path: Path, arguments: String*): (Int, Seq[String]) = {
    val output = Files.createTempFile("output", ".txt")
    try {
      val process = new ProcessBuilder(path.toAbsolutePath.toString +: arguments: _*)
        .redirectErrorStream(true).redirectOutput(output.toFile).start()
      val isOver = process.waitFor(60, TimeUnit.SECONDS)
      process.destroyForcibly()
      val lines = new String(Files.readAllBytes(output), "UTF-8").linesIterator.toList
      if (!isOver) throw new IllegalStateException(s"$path has not ended: ${lines.take(20).mkString("\n")}")
      (process.exitValue, lines)
    } finally Files.delete(output)
  }

  private def distributed(name: String): Path = buildRoot.resolve("dist").resolve("bin").resolve(name)

  private def announced(path: Path, command: Seq[String], isTls: Boolean = false): Program = {
    if (!Files.isExecutable(path))
      throw new IllegalStateException(s"$path is missing: ./sbt dist makes it")
    val program = new Program(path, new ProcessBuilder(command: _*).redirectErrorStream(true).start(), isTls)
    if (!program.awaitAddress(30000)) {
      program.kill()
      throw new IllegalStateException(s"$path printed no address: ${program.output.take(20).mkString("\n")}")
    }
    program
  }

  def buildRoot: Path =
    Iterator
      .iterate(Paths.get("").toAbsolutePath)(_.getParent)
      .takeWhile(_ != null)
      .find(directory => Files.exists(directory.resolve("build.sbt")))
      .getOrElse(Paths.get(""))
}
