package needletail.examples.hello

import needletail.examples.{Listening, Options}
import needletail.routing.RoutesPage
import needletail.server.RunningServer

/** [[Hello]] with options, as started by `dist/bin/hello`. */
object Main {
  private val options   = Options("hello", "Says hello, and adds.")
  private val listening = new Listening(options)

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    listening.serve(chosen, RoutesPage(Hello.routes), onStart = tell)
  }

  private def tell(server: RunningServer): Unit = {
    val url = Listening.forCurl(server)
    println(s"""listening on ${server.url}; try
               |  curl $url/hello/Ann
               |  curl $url/add/1/2
               |  curl $url/add/1/two
               |Ctrl-C ends it.""".stripMargin)
  }
}
