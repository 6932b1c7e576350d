package needletail.client

import scala.concurrent.{Await, Future}
import scala.concurrent.duration._

import needletail.client.config.ClientConfig
import needletail.http.Handler
import needletail.io.Address
import needletail.server.{Log, RunningServer, ServerConfig, ServerFixture}
import needletail.testing.Suite

/** A server of ours and a client with one loop, for one test. */
trait Serving { self: Suite =>
  val serverConfig = ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1, log = Log.none)
  val clientConfig = ClientConfig(loops = 1)

  def serving[A](
      handler: Handler,
      config: ClientConfig = clientConfig,
      serverConfig: ServerConfig = serverConfig
  )(body: (RunningServer, Client) => A): A =
    ServerFixture.serving(handler, serverConfig)(server => calling(config)(client => body(server, client)))

  def calling[A](config: ClientConfig = clientConfig)(body: Client => A): A = {
    val client = Client(config)
    try body(client)
    finally client.close()
  }

  def await[A](f: Future[A]): A = Await.result(f, 20.seconds)
}
