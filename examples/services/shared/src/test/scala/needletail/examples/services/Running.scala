package needletail.examples.services

import scala.concurrent.duration._
import scala.concurrent.{Await, Future}

import needletail.client.{BreakerConfig, Client, ClientConfig, RetryConfig}
import needletail.http.Handler
import needletail.io.Address
import needletail.server.{Log, OverloadConfig, RunningServer, Server, ServerConfig}
import needletail.testing.{Ports, Suite}

/** Servers on loopback, and a client, for one test. */
trait Running { self: Suite =>
  def running[A](handler: Handler, port: Int = 0)(body: RunningServer => A): A = {
    val config = ServerConfig(
      address = Address.Tcp("127.0.0.1", port),
      loops = 1,
      overload =
        OverloadConfig.off, // on a machine that does much else, it would have a say in what is counted
      log = Log.none
    )
    val server = Ports.onceFree(Server(handler, config).start())
    try body(server)
    finally await(server.close())
  }

  /** Asks patiently, each question once, and whatever was answered before. */
  def asking[A](body: Client => A): A = {
    val client = Client(
      ClientConfig(
        loops = 1,
        connectionsPerHost = 512,
        requestTimeout = 20.seconds,
        retry = RetryConfig(attempts = 1),
        breaker = BreakerConfig(enabled = false)
      )
    )
    try body(client)
    finally client.close()
  }

  def await[A](future: Future[A]): A = Await.result(future, 20.seconds)
}
