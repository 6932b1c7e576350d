import needletail.routing._
import needletail.server.Server

object Hello {
  val routes = Routes(GET / "hello" / arg[String] to (name => s"Hello, $name!".ok))

  def main(args: Array[String]): Unit = Server(routes, port = 0).run()
}
