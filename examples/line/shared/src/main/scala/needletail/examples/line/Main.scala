package needletail.examples.line

import needletail.examples.{Listening, Options}
import needletail.io.Address

object Main {
  private val options   = Options("line", "Serves a line protocol: PING, ECHO text, TIME, QUIT.")
  private val listening = new Listening(options, behind = false)

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    listening.run(chosen) { config =>
      LineServer(config).run { server =>
        server.address match {
          case Address.Tcp(host, port) =>
            val ask =
              if (config.tls.isEmpty) s"nc $host $port" else s"openssl s_client -quiet -connect $host:$port"
            println(s"listening on $host:$port; try: printf 'PING\\nQUIT\\n' | $ask")
          case other => println(s"listening on $other")
        }
      }
    }
  }
}
