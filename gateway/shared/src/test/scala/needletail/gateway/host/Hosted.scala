package needletail.gateway.host

import java.io.{File, FileInputStream}
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.duration._

import needletail.http.Handler
import needletail.io.Address
import needletail.server.{Log, RawClient, RunningServer, ServerConfig, ServerFixture}
import needletail.testing.{Pause, Suite, TemporaryDirectories}

/** A log that can be looked at. */
final class Lines extends Log {
  private val all                                    = new ConcurrentLinkedQueue[String]
  def warn(message: String): Unit                    = { all.add(message); () }
  def error(message: String, cause: Throwable): Unit = { all.add(s"$message: $cause"); () }
  def text: String                                   = all.toArray.mkString("\n")
}

/** A log that keeps each line, and then throws. */
final class ThrowingLines extends Log {
  private val lines                                  = new Lines
  def warn(message: String): Unit                    = { lines.warn(message); throw new ThrowingLines.Failed }
  def error(message: String, cause: Throwable): Unit = warn(message)
  def text: String                                   = lines.text
}

object ThrowingLines {
  final class Failed extends RuntimeException("the log has no room", null, false, false)
}

/** An answer, taken apart. */
final case class Answer(raw: String) {
  val status: Int  = if (raw.length > 12) raw.substring(9, 12).toInt else 0
  private val end  = raw.indexOf("\r\n\r\n")
  def head: String = if (end < 0) raw else raw.substring(0, end + 2)
  def body: String = {
    val rest = raw.substring(end + 4)
    if (head.toLowerCase.contains("\r\ntransfer-encoding: chunked\r\n")) unchunked(rest) else rest
  }
  def header(name: String): Option[String] =
    head.split("\r\n").toList.collectFirst {
      case line if line.toLowerCase.startsWith(name.toLowerCase + ":") => line.drop(name.length + 1).trim
    }

  /** What the variables of a program that prints its environment say. */
  def variable(name: String): Option[String] =
    body.split("\n").toList.collectFirst {
      case line if line.startsWith(name + "=") => line.drop(name.length + 1)
    }

  private def unchunked(text: String): String = {
    val out  = new StringBuilder
    var at   = 0
    var size = -1
    while (size != 0 && at < text.length) {
      val line = text.indexOf("\r\n", at)
      size = if (line < 0) 0 else Integer.parseInt(text.substring(at, line), 16)
      if (line >= 0) {
        out.append(text.substring(line + 2, math.min(text.length, line + 2 + size)))
        at = line + 2 + size + 2
      }
    }
    out.result()
  }
}

/** A server with routes of other people's programs, in a directory of its own. */
abstract class Hosted extends Suite with TemporaryDirectories {
  val log = new Lines

  val directory: Path = temporaryDirectory()

  /**
   * A file of those contents. Another process writes what is to be executed: while ours has it open, a process that is
   * just being started has it open too, and the system refuses to run a file that is open for writing.
   */
  def write(name: String, text: String, executable: Boolean = true): String = {
    val path = directory.resolve(name)
    val data = directory.resolve("written")
    path.getParent.toFile.mkdirs()
    Files.write(if (executable) data else path, text.getBytes(ISO_8859_1))
    if (executable) {
      val copy = new ProcessBuilder(
        "/bin/sh",
        "-c",
        "cp \"$0\" \"$1\" && chmod 755 \"$1\"",
        data.toString,
        path.toString
      )
      assertEquals(copy.start().waitFor(), 0)
    }
    path.toString
  }

  /** A shell script. */
  def sh(name: String, lines: String*): Unit = { write(name, lines.mkString("#!/bin/sh\n", "\n", "\n")); () }

  def hostConfig: ProgramHostConfig = ProgramHostConfig(log = log, timeout = 10.seconds)
  val cgiConfig: CgiConfig          = CgiConfig(host = hostConfig, killGrace = 200.millis)

  protected def serverConfig: ServerConfig =
    ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 2, log = log, handlerTimeout = 25.seconds)

  def serving[A](handler: Handler, config: ServerConfig = serverConfig)(body: RunningServer => A): A =
    ServerFixture.serving(handler, config)(body)

  def hosting[A](config: CgiConfig = cgiConfig)(body: RunningServer => A): A =
    serving(cgi("/cgi-bin", directory.toString, config))(body)

  def ask(server: RunningServer, request: String): Answer = {
    val client = new RawClient(server.port)
    client.socket.setSoTimeout(20000)
    try Answer(client.send(request).readAll())
    finally client.close()
  }

  def get(server: RunningServer, path: String, headers: String*): Answer =
    ask(
      server,
      s"GET $path HTTP/1.1\r\nHost: example.org:8080\r\nConnection: close\r\n${headers.map(_ + "\r\n").mkString}\r\n"
    )

  def post(server: RunningServer, path: String, body: String, headers: String*): Answer =
    ask(
      server,
      s"POST $path HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\nContent-Length: ${body.length}\r\n" +
        s"${headers.map(_ + "\r\n").mkString}\r\n$body"
    )

  /** The programs of the directory, one of them being `ok`, for `body`, which is to leave nothing behind. */
  protected final def safely(body: RunningServer => Unit): Unit = hosting() { server =>
    get(server, "/cgi-bin/ok") // all threads are there
    leavingNothing(body(server))
  }

  protected final def quick[A](limit: FiniteDuration)(body: => A): A = {
    val began  = System.nanoTime()
    val result = body
    val took   = (System.nanoTime() - began).nanos
    assert(took < limit, s"it took ${took.toMillis} ms")
    result
  }

  // What the process holds; Linux tells

  private def self: String = Paths.get("/proc/self").toRealPath().getFileName.toString

  def descriptors: List[String] =
    Option(new File("/proc/self/fd").list()).fold(List.empty[String])(_.toList).map { fd =>
      try s"$fd ${Files.readSymbolicLink(Paths.get(s"/proc/self/fd/$fd"))}"
      catch { case _: java.io.IOException => fd } // what the list was read by
    }

  /**
   * A time to sleep of more than so many seconds, as an argument by which `processes` finds what this program has started
   * and nothing that the same tests have on another platform, which may run beside.
   */
  def own(seconds: Int): String = {
    val id = self
    s"$seconds.5${"0" * (10 - id.length)}$id"
  }

  /** Processes that have `argument` in their command line, or are ours and dead. */
  def processes(argument: String): List[String] = {
    val id = self
    Option(new File("/proc").list()).fold(List.empty[String])(_.toList).filter(_.forall(_.isDigit)).flatMap {
      pid =>
        try {
          val command = contents(s"/proc/$pid/cmdline").replace('\u0000', ' ')
          val stat    = contents(s"/proc/$pid/stat")
          val rest    = stat.substring(stat.lastIndexOf(')') + 2).split(' ')
          if (command.contains(argument) || (rest(0) == "Z" && rest(1) == id))
            List(s"$pid ${rest(0)} $command")
          else Nil
        } catch { case _: java.io.IOException => Nil } // it has ended meanwhile
    }
  }

  /** Of a file whose length the system does not tell. */
  def contents(path: String): String = {
    val in  = new FileInputStream(path)
    val out = new StringBuilder
    try {
      val piece = new Array[Byte](8192)
      var n     = in.read(piece)
      while (n > 0) {
        out.append(new String(piece, 0, n, ISO_8859_1))
        n = in.read(piece)
      }
    } finally in.close()
    out.result()
  }

  /** Runs `body` and waits until no more descriptors and processes are there than before. */
  def leavingNothing[A](body: => A): A = {
    Pause(1.milli) // takes the descriptors that a thread on Native needs to sleep, as `eventually` does
    val before = descriptors
    val result = body
    eventually(processes(directory.toString).isEmpty, processes(directory.toString))
    eventually(
      descriptors.length <= before.length,
      s"${descriptors.mkString(", ")}; before ${before.mkString(", ")}"
    )
    result
  }
}
