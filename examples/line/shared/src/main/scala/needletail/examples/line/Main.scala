package needletail.examples.line

import needletail.examples.{Listening, Options}
import needletail.io.{Address, Signals}

object Main {
  private val options   = Options("line", "Serves a line protocol: PING, ECHO text, TIME, QUIT.")
  private val listening = new Listening(options, behind = false)

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    listening.run(chosen) { config =>
      val server = LineServer.start(config)
      val await  = Signals.awaiting(server.stopped) { () =>
        server.drain()
        ()
      }
      server.address match {
        case Address.Tcp(host, port) =>
          println(s"listening on $host:$port; try: printf 'PING\\nQUIT\\n' | nc $host $port")
        case other => println(s"listening on $other")
      }
      await()
    }
  }
}
