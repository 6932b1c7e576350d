package needletail.server.session

import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.server.{RawClient, Server}

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.AsyncPromise
import needletail.http.{Handler, Reply, Response}
import needletail.io.Address
import needletail.testing.{Pause, Suite}

/** Natively the system tells of a reset also where reading is paused. java.nio does not. */
class ResetBehindContentSuite extends Suite {
  private val config = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    loops = 1,
    handlerTimeout = 60.seconds,
    halfCloseGrace = 100.millis,
    log = Log.none
  )
  private val asks = Seq(
    "a length" -> "Content-Length: 1000000\r\n\r\n",
    "chunks"   -> "Transfer-Encoding: chunked\r\n\r\nfffff\r\n"
  )

  test("a reset behind more content than is read unasked; an end there waits to be read") {
    @volatile var asked     = 0
    @volatile var cancelled = 0
    val handler: Handler    = request =>
      new Reply.Later(request.body.stream.next().flatMap { _ =>
        val never = new AsyncPromise[Response]
        never.onCancel(() => cancelled += 1)
        asked += 1
        never
      })
    val server = Server(handler, config).start()
    try
      for (((name, ask), i) <- asks.zipWithIndex) {
        val client = new RawClient(server.port).send("POST / HTTP/1.1\r\nHost: a\r\n" + ask + "x")
        eventually(asked == i + 1, name)
        for (_ <- 1 to 30) client.send("x" * 10000)
        Pause(300.millis)
        client.socket.shutdownOutput()
        Pause(300.millis)
        assertEquals(cancelled, i, s"$name: its client may still read")
        client.socket.setSoLinger(true, 0)
        client.close()
        eventually(cancelled == i + 1, name)
        eventually(Await.result(server.statistics, 20.seconds).connectionsOpen == 0)
      }
    finally { Await.result(server.close(), 20.seconds); () }
  }
}
