package needletail.server.tcp

import java.util.concurrent.CountDownLatch

import scala.concurrent.{Await, Future}
import scala.concurrent.duration._

import needletail.http.{Handler, Response}
import needletail.io.Address
import needletail.server.{Log, RawClient, ServerConfig}
import needletail.server.config.TcpSettings
import needletail.server.connection.HttpProtocol
import needletail.testing.Suite

/** User code that blocks an event loop cannot keep its server from ending. */
class BlockedEndSuite extends Suite {
  private val get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  private final class Blocking {
    val release                             = new CountDownLatch(1)
    @volatile var blocked                   = 0
    @volatile var logged: Vector[Throwable] = Vector.empty
    val log: Log                            = new Log {
      def warn(message: String): Unit                    = ()
      def error(message: String, cause: Throwable): Unit = synchronized { logged :+= cause }
    }
    val handler: Handler = request => {
      if (request.path == "/block") {
        synchronized(blocked += 1)
        release.await()
      }
      if (request.path == "/fatal") throw new OutOfMemoryError("for a test")
      Response.ok("here")
    }

    def serve(loops: Int): TcpServer = {
      val config = ServerConfig(
        address = Address.Tcp("127.0.0.1", 0),
        loops = loops,
        drainDelay = Duration.Zero,
        drainTimeout = 100.millis,
        log = log
      )
      TcpServer.start(
        TcpSettings(config).copy(patienceNanos = 2000000000L),
        HttpProtocol(handler, config)
      )
    }

    /** Blocks as many loops as connections can. */
    def block(server: TcpServer, count: Int): Seq[RawClient] = {
      val clients = Seq.fill(count) {
        val client = new RawClient(server.port)
        client.send(get.replace("/ ", "/block "))
        client
      }
      eventually(blocked > 0)
      clients
    }
  }

  private def ends(how: Future[Unit]): Throwable = Await.result(how.failed, 25.seconds)

  for (loops <- Seq(1, 2))
    test(s"a drain ends though a handler blocks its loop, one of $loops") {
      val blocking = new Blocking
      val server   = blocking.serve(loops)
      val clients  = blocking.block(server, 1)
      try {
        val e = ends(server.drain())
        assert(e.isInstanceOf[IllegalStateException], e)
        assert(e.getMessage.contains(" is blocked in GET /block") || e.getMessage.contains(" is blocked "), e)
        eventually(blocking.logged.contains(e))
        assertEquals(Await.result(server.drain().failed, 20.seconds), e: Throwable)
      } finally {
        blocking.release.countDown()
        clients.foreach(_.close())
      }
    }

  test("closing ends though a handler blocks its loop, and the other loop's connections are closed") {
    val blocking = new Blocking
    val server   = blocking.serve(2)
    val idle     = Seq.fill(4) {
      val client = new RawClient(server.port)
      client.send(get)
      client
    }
    val blockers = blocking.block(server, 1)
    try {
      ends(server.close())
      // of two loops, the one that is not blocked had about half of them
      val closed = idle.count { client =>
        client.socket.setSoTimeout(500)
        try {
          client.readAll()
          true
        } catch {
          case _: java.net.SocketTimeoutException => false
          case _: java.io.IOException             => true
        }
      }
      assert(closed > 0, "none was closed")
    } finally {
      blocking.release.countDown()
      (idle ++ blockers).foreach(_.close())
    }
  }

  test("a server that has lost a loop ends though a handler blocks another one") {
    val blocking = new Blocking
    val server   = blocking.serve(2)
    val clients  =
      Seq.fill(4)(new RawClient(server.port)) // of both loops, as the blocked one may be that which accepts
    clients.foreach { client =>
      client.send(get)
      client.socket.getInputStream.read()
    }
    val blockers = blocking.block(server, 1)
    clients.foreach(_.send(get.replace("/ ", "/fatal ")))
    try {
      val e = ends(server.stopped)
      assert(e.getMessage.contains("has ended") || e.getMessage.contains(" is blocked "), e)
      eventually(blocking.logged.nonEmpty)
    } finally {
      blocking.release.countDown()
      (clients ++ blockers).foreach(_.close())
    }
  }

  test("a handler that returns in time ends nothing early") {
    val blocking = new Blocking
    val server   = blocking.serve(1)
    val clients  = blocking.block(server, 1)
    val ended    = server.drain()
    blocking.release.countDown()
    Await.result(ended, 20.seconds)
    assertEquals(blocking.logged.size, 0)
    clients.foreach(_.close())
  }
}
