package needletail.examples.line

import java.util.Locale

import needletail.async.Async
import needletail.server.{Answer, Server, ServerConfig}

/** A small line protocol, as an example of a server without HTTP: PING, ECHO text, TIME, QUIT. */
object LineServer {
  private val codec = new LineCodec(maxLength = 1024)

  def apply(config: ServerConfig): Server = Server.withCodec(codec, config)(_ => answer)

  private def answer(line: String): Async[Answer[String]] = {
    val (command, text) = line.span(_ != ' ')
    command.toUpperCase(Locale.ROOT) match {
      case "PING" => Answer("PONG")
      case "ECHO" => Answer(text.drop(1))
      case "TIME" => Answer((System.currentTimeMillis() / 1000).toString)
      case "QUIT" => Answer.last("BYE")
      case _      => Answer("ERROR commands are PING, ECHO text, TIME and QUIT")
    }
  }
}
