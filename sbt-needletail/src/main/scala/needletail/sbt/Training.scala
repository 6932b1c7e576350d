package needletail.sbt

import com.sun.net.httpserver.HttpServer
import java.net.{InetSocketAddress, URI}
import scala.util.Try

/**
 * The work that a program does once when it is laid out for the JVM, so that what it needed then is prepared for later
 * starts. The program runs with its own rights on this machine; a run takes at most a minute.
 */
sealed trait Training {

  /** Does the work; `start` starts the program with the given arguments. */
  private[sbt] def run(start: Seq[String] => Process): Unit
}

object Training {

  /**
   * The program is a server. It is started with `arguments`, sent a request for each of `paths` on 127.0.0.1, and stopped by
   * SIGTERM. Its port is the first number after a colon in its output, where it says what it listens on. Answers may
   * be errors: they exercise the program as well.
   */
  final case class Server(arguments: Seq[String] = Nil, paths: Seq[String] = Seq("/")) extends Training {
    private[sbt] def run(start: Seq[String] => Process): Unit = {
      val process = start(arguments)
      val lines   = scala.io.Source.fromInputStream(process.getInputStream).getLines()
      val port    =
        lines.flatMap(line => """:(\d{2,5})\b""".r.findFirstMatchIn(line).map(_.group(1).toInt)).take(1)
      port.foreach(ask)
      process.toHandle.destroy() // asks it to stop, and leaves its output open
      lines.foreach(_ => ())
      process.waitFor()
      ()
    }

    private def ask(port: Int): Unit =
      for (path <- paths)
        Try {
          val connection = URI.create(s"http://127.0.0.1:$port$path").toURL.openConnection()
          connection.setConnectTimeout(1000)
          connection.setReadTimeout(1000)
          connection.getContentLength
        }
  }

  /** The program is a tool that calls an HTTP server and exits. `arguments` are computed from the server's URL. */
  final case class Tool(arguments: String => Seq[String]) extends Training {
    private[sbt] def run(start: Seq[String] => Process): Unit = {
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
        ()
      } finally server.stop(0)
    }
  }
}
