package needletail.examples.demo

import needletail.examples.{Listening, Options}
import needletail.io.Address
import needletail.server.{RunningServer, Server}

/** What `./sbt run` starts. */
object Main {
  private val options = Options(
    "demo",
    "An online store with its services, simulated customers, and a live page for injecting faults."
  )
  private val listening = new Listening(options, behind = false)

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    listening.run(chosen) { config =>
      val demo = new Demo(portBehind(config.address))
      try Server(demo.routes, demo.config(config)).run { server =>
          demo.opened(server)
          tell(server, demo)
        }
      finally demo.close()
    }
  }

  private def portBehind(address: Address): Int = address match {
    case Address.Tcp(_, port) if port > 0 => port + 1
    case _                                => 0
  }

  private def tell(store: RunningServer, demo: Demo): Unit =
    println(s"""The store is open on ${store.url} and has customers. Open
               |
               |  ${store.url}${Live.Path}
               |
               |in a browser to see how they are served, and to break its search service. Or try
               |  curl ${Listening.forCurl(store)}/
               |  curl -G -d query=shoes ${Listening.forCurl(store)}/search
               |  curl -d amount=20 ${Listening.forCurl(store)}/payments
               |  curl -X PUT '${demo.controlUrl}/situation?down=true'
               |  curl ${demo.controlUrl}/metrics
               |Ctrl-C ends it.""".stripMargin)
}
