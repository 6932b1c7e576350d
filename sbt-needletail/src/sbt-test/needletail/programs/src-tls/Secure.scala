import java.nio.file.Paths

import needletail.io.{Tls, TlsServerConfig}
import needletail.routing._
import needletail.server.{Server, ServerConfig}
import needletail.io.Address

/** Serves HTTPS with a certificate and its key. */
object Secure {
  private val routes = Routes(GET / "hello" / arg[String] to (name => s"Hello, $name!".ok))

  def main(args: Array[String]): Unit = {
    val tls = Tls.server(TlsServerConfig(Paths.get(args(0)), Paths.get(args(1))))
    Server(routes, ServerConfig(address = Address.Tcp("127.0.0.1", 0), tls = Some(tls))).run()
  }
}
