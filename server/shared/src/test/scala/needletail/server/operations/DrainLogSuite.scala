package needletail.server.operations

import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.Await
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.server.{RawClient, Server, ServerConfig, ServerFixture}
import needletail.testing.Suite

/** What the log says of a drain. */
class DrainLogSuite extends Suite {
  private final class Lines extends Log {
    private val said                                   = new ConcurrentLinkedQueue[String]
    override def info(message: String): Unit           = { said.add(s"info: $message"); () }
    def warn(message: String): Unit                    = { said.add(s"warn: $message"); () }
    def error(message: String, cause: Throwable): Unit = { said.add(s"error: $message"); () }
    def all: List[String]                              = said.asScala.toList
  }

  /** What is logged of a drain which begins while there are connections, one of them with that request in progress. */
  private def logOf(path: String, config: ServerConfig)(handler: Handler): (String, List[String]) = {
    val lines  = new Lines
    val server = Server(handler, config.copy(log = lines)).start()
    val idle   = new RawClient(server.port).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    idle.readUntil("answered")
    val busy = new RawClient(server.port)
    busy.send(s"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET $path HTTP/1.1\r\nHost: a\r\n\r\n")
    busy.readUntil("answered")
    server.drain()
    server.drain() // is one drain all the same
    idle.readAll()
    idle.close()
    Await.result(server.stopped, 20.seconds)
    busy.close()
    (server.url, lines.all)
  }

  private val brief = ServerFixture.loopback.copy(drainGrace = 1.milli, drainTimeout = 1.minute)

  test("that it begins, with the connections that are open; nothing more where it ends in time") {
    val (url, said) = logOf("/", brief)(_ => Response.ok("answered"))
    assertEquals(said, List(s"info: $url: draining; connections open: 2"))
  }

  test("that its time was not enough, with the connections that are cut off") {
    val never       = new AsyncPromise[Response]
    val (url, said) = logOf("/never", brief.copy(drainTimeout = 2.seconds)) { request =>
      if (request.path == "/never") new Reply.Later(never: Async[Response]) else Response.ok("answered")
    }
    assertEquals(
      said,
      List(
        s"info: $url: draining; connections open: 2",
        s"info: $url: the drain has taken its whole time, what is left is cut off; connections open: 1"
      )
    )
  }

  test("a log without `info` is told nothing of it") {
    val told     = new ConcurrentLinkedQueue[String]
    val warnings = new Log {
      def warn(message: String): Unit                    = { told.add(message); () }
      def error(message: String, cause: Throwable): Unit = { told.add(message); () }
    }
    val server = Server((_: Request) => Response.ok: Reply, brief.copy(log = warnings)).start()
    Await.result(server.drain(), 20.seconds)
    assertEquals(told.asScala.toList, Nil)
  }
}
