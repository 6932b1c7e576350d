package needletail.sbt

import com.sun.net.httpserver.HttpServer
import java.net.{InetSocketAddress, URI}
import scala.util.Try

/**
 * The work that a program does once when it is laid out for the JVM, so that what it needed then is prepared for later
 * starts. The program runs with its own rights on this machine; a run takes at most a minute.
 */
sealed trait Training {

  /**
   * Does the work; `start` starts the program with the given arguments. Returns false if the program was to be sent
   * requests and was not reached.
   */
  private[sbt] def run(start: Seq[String] => Process): Boolean
}

object Training {

  /**
   * The program is a server. It is started with `arguments`, sent a request for each of `paths` on 127.0.0.1, and stopped by
   * SIGTERM. Its port is the first one in its output, where it says what it listens on: in a URL, or else after a
   * colon that does not belong to a time of day. Answers may be errors: they exercise the program as well.
   */
  final case class Server(arguments: Seq[String] = Nil, paths: Seq[String] = Seq("/")) extends Training {
    private[sbt] def run(start: Seq[String] => Process): Boolean = {
      val process = start(arguments)
      val lines   = scala.io.Source.fromInputStream(process.getInputStream).getLines()
      val asked   = lines.flatMap(line => portIn(line)).take(1).map(ask).toList
      process.toHandle.destroy() // asks it to stop, and leaves its output open
      lines.foreach(_ => ())
      process.waitFor()
      paths.isEmpty || asked.exists(_ > 0)
    }

    /** Returns how many requests could be sent. */
    private def ask(port: Int): Int = paths.count { path =>
      Try {
        val connection = URI.create(s"http://127.0.0.1:$port$path").toURL.openConnection()
        connection.setConnectTimeout(1000)
        connection.setReadTimeout(1000)
        connection.connect()
        connection.getContentLength // does not throw
      }.isSuccess
    }
  }

  private val InUrl      = """://[^\s/]*:(\d{2,5})\b""".r
  private val AfterColon = """:(\d{2,5})\b""".r
  private val TimeOfDay  = """(?<![.\d:])\d{1,2}:[0-5]\d(:[0-5]\d([.,]\d+)?)?(?!\d)""".r

  private[sbt] def portIn(line: String): Option[Int] = {
    val text = TimeOfDay.replaceAllIn(line, "")
    List(InUrl, AfterColon).flatMap(_.findFirstMatchIn(text)).headOption.map(_.group(1).toInt)
  }

  /** The program is a tool that calls an HTTP server and exits. `arguments` are computed from the server's URL. */
  final case class Tool(arguments: String => Seq[String]) extends Training {
    private[sbt] def run(start: Seq[String] => Process): Boolean = {
      val server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0)
      server.createContext(
        "/",
        exchange => {
          exchange.sendResponseHeaders(200, 2)
          exchange.getResponseBody.write("ok".getBytes)
          exchange.close()
        }
      )
      server.start()
      try {
        val process = start(arguments(s"http://127.0.0.1:${server.getAddress.getPort}/"))
        scala.io.Source.fromInputStream(process.getInputStream).getLines().foreach(_ => ())
        process.waitFor()
        true
      } finally server.stop(0)
    }
  }
}
