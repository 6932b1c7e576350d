package needletail.examples.hello

import needletail.routing._
import needletail.server.Server

object Hello {
  val routes = Routes(
    GET / "hello" / arg[String] to (name => s"Hello, $name!".ok),
    GET / "add" / arg[Int] / arg[Int] to { case (a, b) => s"$a + $b = ${a + b}".ok }
  )

  def main(args: Array[String]): Unit = Server(routes, port = 8080).run()
}
