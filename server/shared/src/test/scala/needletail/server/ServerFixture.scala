package needletail.server

import scala.concurrent.duration._
import scala.concurrent.{Await, Future}

import needletail.http.Handler
import needletail.io.Address
import needletail.server.tcp.TcpServer

/** A server for the length of a test: on loopback, at a port that the system picks, and closed afterwards. */
object ServerFixture {

  /** One loop, at a port that the system picks. */
  val loopback: ServerConfig = ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1)

  def serving[A](handler: Handler, config: ServerConfig = loopback)(body: RunningServer => A): A =
    serving(Server(handler, config).start())(body)

  def serving[A](server: RunningServer)(body: RunningServer => A): A = closing(server.close())(body(server))

  def serving[A](server: TcpServer)(body: TcpServer => A): A = closing(server.close())(body(server))

  private def closing[A](close: => Future[Unit])(body: => A): A =
    try body
    finally Await.result(close, 20.seconds)
}
