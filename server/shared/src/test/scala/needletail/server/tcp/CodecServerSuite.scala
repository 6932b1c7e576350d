package needletail.server.tcp

import needletail.server.{RawClient, RunningServer, Server, ServerFixture}
import needletail.server.config.{AdminConfig, ServerConfig}
import needletail.server.operations.Log

import java.nio.charset.StandardCharsets.UTF_8

import scala.concurrent.{blocking, Await, ExecutionContext, Future, Promise}
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.http.{Handler, Response}
import needletail.io.Address
import needletail.server.tcp.TcpServer
import needletail.tcp.{Codec, Decoded, Decoder}
import needletail.testing.Suite

/** A server of a protocol that is not HTTP: numbers, each ended by a semicolon, answered by their doubles. */
class CodecServerSuite extends Suite {
  private object Doubling extends Codec[Int, Int] {
    def decoder(): Decoder[Int] = (bytes, from, until) => {
      val end = bytes.indexOf(';'.toByte, from)
      if (end < 0 || end >= until) Decoded.More
      else
        new String(bytes, from, end - from, UTF_8).toIntOption match {
          case Some(n) => Decoded.Message(n, end + 1)
          case None    => Decoded.Bad("not a number")
        }
    }
    def encode(answer: Int): Array[Byte]             = s"$answer;".getBytes(UTF_8)
    override def reject(reason: String): Option[Int] = Some(-1)
  }

  private val config = ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1, log = Log.none)

  private def serving[A](config: ServerConfig =
    config)(answer: Int => Async[Answer[Int]])(body: TcpServer => A): A =
    ServerFixture.serving(TcpServer.serve(Doubling, config)(_ => answer))(body)

  private val twice: Int => Async[Answer[Int]] = n => if (n == 0) Answer.last(0) else Answer(2 * n)

  test("messages are answered in order, also when several come at once and when one comes in parts") {
    serving()(twice) { server =>
      val client = new RawClient(server.port)
      assertEquals(client.send("1;2;3;").readUntil("6;"), "2;4;6;")
      client.send("1")
      eventually(Await.result(server.statistics, 20.seconds).bytesRead == 7) // the server has that part
      assertEquals(client.send("2;").readUntil(";"), "24;")
      client.close()
    }
  }

  test(
    "a client that goes on sending after a rejected message gets the reason, however long messages may be"
  ) {
    object Wide extends Codec[Int, Int] {
      def decoder(): Decoder[Int]                      = Doubling.decoder()
      def encode(answer: Int): Array[Byte]             = Doubling.encode(answer)
      override def reject(reason: String): Option[Int] = Doubling.reject(reason)
      override def maxMessage: Option[Int]             = Some(200 * 1024 * 1024)
    }
    ServerFixture.serving(TcpServer.serve(Wide, config)(_ => twice)) { server =>
      val client = new RawClient(server.port).send("x;" + "1" * 4000000)
      client.socket.shutdownOutput()
      assertEquals(client.readAll(), "-1;") // and no reset
      client.close()
    }
  }

  test("it can have an administration server, which knows of its connections") {
    val administered = config.copy(admin = Some(AdminConfig(0)))
    val server       = Server.withCodec(Doubling, administered)(_ => twice).start()
    try {
      val client = new RawClient(server.port)
      assertEquals(client.send("1;").readUntil(";"), "2;")
      val port = server.adminAddress match {
        case Some(Address.Tcp(_, port)) => port
        case other                      => fail(other.toString)
      }
      val admin = new RawClient(port)
      admin.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      assert(admin.readAll().contains("needletail_connections{loop=\"0\"} 1\n"))
      admin.close()
      client.close()
    } finally { Await.result(server.close(), 20.seconds); () }
  }

  test("it runs beside a server of HTTP, and both are drained together") {
    val asked    = Promise[Unit]()
    val finishes = Promise[Unit]()
    val begun    = Promise[Seq[RunningServer]]()
    val doubling = Server.withCodec(Doubling, config) { _ => n =>
      if (n == 7) { asked.success(()); Async.fromFuture(finishes.future).flatMap(_ => Answer(14)) }
      else twice(n)
    }
    val handler: Handler = _ => Response.ok("fine")
    val over             = Future(blocking(Server.runAll(
      Seq(Server(handler, config), doubling),
      (all: Seq[RunningServer]) => { begun.success(all); () }
    )))(ExecutionContext.global)
    val (http, codec) = Await.result(begun.future, 20.seconds) match {
      case Seq(one, other) => (one, other)
      case all             => fail(all.toString)
    }
    assertEquals(codec.url, s"tcp://127.0.0.1:${codec.port}")
    val browser = new RawClient(http.port).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    assert(browser.readUntil("fine").startsWith("HTTP/1.1 200 "))
    val client = new RawClient(codec.port)
    assertEquals(client.send("1;7;").readUntil("2;"), "2;")
    Await.result(asked.future, 20.seconds)
    http.drain()
    Await.result(codec.draining, 20.seconds)
    finishes.success(())
    assertEquals(client.readAll(), "14;") // what was in progress is finished
    Await.result(over, 20.seconds)
    List(browser, client).foreach(_.close())
  }

  test("a server can be started again") {
    val server = Server.withCodec(Doubling, config)(_ => twice)
    for (_ <- 1 to 2) {
      val running = server.start()
      try {
        val client = new RawClient(running.port)
        assertEquals(client.send("1;").readUntil(";"), "2;")
        client.close()
      } finally { Await.result(running.close(), 20.seconds); () }
    }
  }

  test("an answer that comes later keeps its place") {
    serving()(n => if (n == 1) Async.sleep(100.millis).flatMap(_ => Answer(2)) else Answer(2 * n)) { server =>
      val client = new RawClient(server.port)
      assertEquals(client.send("1;2;3;").readUntil("6;"), "2;4;6;")
      client.close()
    }
  }

  test("more messages than are kept, each answered later, are all answered") {
    for (later <- Seq[() => Async[Unit]](() => Async.yieldNow, () => Async.sleep(1.millis)))
      serving(config.copy(maxHead = 20000))(n => later().flatMap(_ => Answer(n))) { server =>
        for (length <- Seq(1000, 10000, 15000)) {
          val client = new RawClient(server.port)
          val count  = 400000 / length
          client.send((1 to count).map(n => s"$n;".reverse.padTo(length, '0').reverse).mkString)
          assertEquals(client.readUntil(s";$count;"), (1 to count).map(n => s"$n;").mkString)
          client.close()
        }
      }
  }

  test("the last answer, a malformed message and one that is too long end the connection") {
    serving(config.copy(maxHead = 10000))(twice) { server =>
      assertEquals(new RawClient(server.port).send("1;0;7;").readAll(), "2;0;")
      assertEquals(new RawClient(server.port).send("1;x;7;").readAll(), "2;-1;")
      assertEquals(new RawClient(server.port).send("1" * 20000).readAll(), "-1;")
    }
  }

  test(
    "the log says which server its lines are about, and why a message was malformed, once a second at most"
  ) {
    val said = new java.util.concurrent.ConcurrentLinkedQueue[String]
    val log  = new Log {
      def warn(message: String): Unit                    = { said.add(message); () }
      def error(message: String, cause: Throwable): Unit = { said.add(s"$message: ${cause.getMessage}"); () }
    }
    serving(config.copy(log = log))(n => if (n == 7) Async.fail(new Exception("seven")) else Answer(n)) {
      server =>
        val url   = s"tcp://127.0.0.1:${server.port}"
        val seven = new RawClient(server.port)
        val peer  = s"127.0.0.1:${seven.socket.getLocalPort}"
        assertEquals(seven.send("7;").readAll(), "")
        val begun = System.nanoTime()
        val bad   = (1 to 3).map { _ =>
          val client = new RawClient(server.port)
          val local  = client.socket.getLocalPort
          assertEquals(client.send("x;").readAll(), "-1;")
          local
        }
        eventually(said.size >= 2)
        val isWithinSecond = System.nanoTime() - begun < 1000000000L // otherwise see RareWarningSuite
        val lines          = said.toArray.toList.map(_.toString)
        assertEquals(lines.head, s"$url: a handler failed: a message from $peer: seven")
        assertEquals(
          lines(1),
          s"$url: a malformed message from 127.0.0.1:${bad.head}, whose connection is closed: not a number"
        )
        if (isWithinSecond) assertEquals(lines.size, 2)
    }
  }

  test("an exception of a handler ends its connection and no other") {
    serving()(n => if (n == 13) throw new RuntimeException("no") else Answer(n)) { server =>
      val other = new RawClient(server.port)
      assertEquals(new RawClient(server.port).send("13;").readAll(), "")
      assertEquals(other.send("1;").readUntil(";"), "1;")
      assertEquals(Await.result(server.statistics, 20.seconds).requests, 2L)
      other.close()
    }
  }

  test("an answer that does not come in time is cancelled, and its connection is closed") {
    @volatile var cancelled = 0
    val limited             = config.copy(handlerTimeout = 100.millis)
    serving(limited) { n =>
      if (n != 13) Answer(2 * n)
      else {
        val never = new AsyncPromise[Answer[Int]]
        never.onCancel(() => cancelled += 1)
        never
      }
    } { server =>
      val other = new RawClient(server.port)
      assertEquals(new RawClient(server.port).send("1;13;2;").readAll(), "2;")
      assertEquals(cancelled, 1)
      assertEquals(Await.result(server.statistics, 20.seconds).timeouts, 1L)
      assertEquals(other.send("4;").readUntil(";"), "8;")
      other.close()
    }
  }

  test("an idle connection is closed, and draining ends") {
    serving(config.copy(idleTimeout = 100.millis))(twice) { server =>
      assertEquals(new RawClient(server.port).readAll(), "")
    }
    serving()(twice) { server =>
      val client = new RawClient(server.port)
      client.send("1;").readUntil(";")
      Await.result(server.drain(), 20.seconds)
      assert(client.isEnded)
    }
  }
}
