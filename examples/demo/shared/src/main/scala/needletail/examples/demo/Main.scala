package needletail.examples.demo

import needletail.examples.{Listening, Options}
import needletail.io.Address
import needletail.server.Server

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
          println(greeting(server.address, server.url, demo.controlUrl))
        }
      finally demo.close()
    }
  }

  private def portBehind(address: Address): Int = address match {
    case Address.Tcp(_, port) if port > 0 => port + 1
    case _                                => 0
  }

  /** What the user can do now. */
  private[demo] def greeting(address: Address, url: String, controlUrl: String): String = {
    val curl = s"curl ${Listening.forCurl(address, url)}"
    val page = address match {
      case Address.Unix(path) =>
        s"""The store listens on the Unix socket $path and has customers. Its live page needs a browser,
           |which cannot open a Unix socket: for the page, start the demo without --host. Try
           |""".stripMargin
      case _ =>
        s"""The store is open on $url and has customers. Open
           |
           |  $url${Live.Path}
           |
           |in a browser to see how they are served, and to break its search service. Or try
           |""".stripMargin
    }
    page +
      s"""  $curl/
         |  $curl/search -G -d query=shoes
         |  $curl/payments -d amount=20
         |  curl -X PUT '$controlUrl/situation?down=true'
         |  curl $controlUrl/metrics
         |Ctrl-C ends it.""".stripMargin
  }
}
