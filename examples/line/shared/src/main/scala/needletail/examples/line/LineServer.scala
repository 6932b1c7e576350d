package needletail.examples.line

import needletail.async.Async
import needletail.server.{Answer, Server, ServerConfig}

/** A small line protocol, as an example of a server without HTTP: PING, ECHO text, TIME, QUIT. */
object LineServer {
  private val codec = new LineCodec(maxLength = 1024)

  def apply(config: ServerConfig): Server = Server.withCodec(codec, config)(_ => answer)

  private def answer(line: String): Async[Answer[String]] = {
    val (command, text)  = line.span(_ != ' ')
    def is(name: String) = command.equalsIgnoreCase(name) // whatever the language of the machine is
    if (is("PING")) Answer("PONG")
    else if (is("ECHO")) Answer(text.drop(1))
    else if (is("TIME")) Answer((System.currentTimeMillis() / 1000).toString)
    else if (is("QUIT")) Answer.last("BYE")
    else Answer("ERROR commands are PING, ECHO text, TIME and QUIT")
  }
}
