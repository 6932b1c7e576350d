package needletail.server

import needletail.server.session.FakeWire

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.Async
import needletail.http._
import needletail.io.Address
import needletail.server.config.AdminConfig
import needletail.testing.Suite

/** Fault 15: by which names administrators may ask, and on which thread a request may be read. */
class AskedRightlySuite extends Suite {
  private def answers(host: String, names: Set[String] = Set.empty)(asked: String): Int = {
    val fine: Handler = _ => Response.ok("fine")
    val w             = new FakeWire(new KnownHosts(host, names, fine), ServerConfig(log = Log.none))
    w.send(s"GET /health HTTP/1.1\r\nHost: $asked\r\n\r\n").statuses.head
  }

  test("fault 15: on loopback, administrators ask by names of loopback, with or without a port") {
    for (
      asked <-
        List("localhost", "LOCALHOST:9090", "127.0.0.1", "127.0.0.1:9090", "127.1.2.3", "[::1]", "[::1]:9090")
    )
      assertEquals(answers("127.0.0.1")(asked), 200, asked)
  }

  test("fault 15: a page under a name of its own that points here gets 421") {
    for (
      asked <- List(
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example:9090",
        "192.0.2.1",
        "[::2]",
        "1"
      )
    )
      assertEquals(answers("127.0.0.1")(asked), 421, asked)
    assertEquals(answers("*")("evil.example"), 421)
  }

  test("fault 15: elsewhere also by an address in digits, and by the names that are configured") {
    assertEquals(answers("*")("10.1.2.3:9090"), 200)
    assertEquals(answers("10.1.2.3")("[fd00::7]:9090"), 200)
    assertEquals(answers("admin.internal")("admin.internal:9090"), 200)
    assertEquals(answers("*", Set("shop-metrics"))("shop-metrics:9090"), 200)
    assertEquals(answers("127.0.0.1", Set("Tunnel.example"))("tunnel.example"), 200)
    assertEquals(answers("*")("256.1.1.1"), 421)
  }

  test("fault 15: the administrators' own port does so, and HTTP/1.0 without Host is let through") {
    val config = ServerConfig(
      address = Address.Tcp("127.0.0.1", 0),
      loops = 1,
      log = Log.none,
      admin = Some(AdminConfig(0))
    )
    val handler: Handler = _ => Response.ok("fine")
    val server           = Server(handler, config).start()
    try {
      val port = server.adminAddress match {
        case Some(Address.Tcp(_, port)) => port
        case other                      => fail(s"$other")
      }
      def ask(text: String): String = {
        val client = new RawClient(port).send(text)
        try client.readAll().take(12)
        finally client.close()
      }
      assertEquals(
        ask("GET /metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
        "HTTP/1.1 421"
      )
      assertEquals(ask("GET /health HTTP/1.0\r\n\r\n"), "HTTP/1.1 200")
    } finally Await.result(server.close(), 20.seconds)
  }

  test("fault 15: a request that is read on another thread raises an error, a kept one does not") {
    @volatile var mistake: Throwable = null
    @volatile var later: Throwable   = null
    @volatile var kept               = ""
    val over                         = new CountDownLatch(1)
    val handler: Handler             = Handler { (request: Request) =>
      val mine   = request.keep
      val thread = new Thread(() => mistake = failure(request.path))
      thread.start()
      thread.join() // so that it is the present request as it is read
      Async.blocking {
        kept = mine.path + mine.header("X-Id").getOrElse("")
        later = failure(request.header("X-Id"))
        over.countDown()
      }.map(_ => Response.ok(request.path))
    }
    val config = ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1, log = Log.none)
    val server = Server(handler, config).start()
    try {
      val client = new RawClient(server.port).send("GET /mine HTTP/1.1\r\nHost: a\r\nX-Id: 7\r\n\r\n")
      assert(client.readUntil("/mine").startsWith("HTTP/1.1 200 "))
      assert(over.await(10, TimeUnit.SECONDS))
      client.close()
    } finally Await.result(server.close(), 20.seconds)
    for (e <- List(mistake, later))
      assert(e.isInstanceOf[IllegalStateException] && e.getMessage.contains("loop only"), e)
    assertEquals(kept, "/mine7")
  }

  test("fault 15: content that is read on another thread raises an error that says what to do") {
    @volatile var mistakes = List.empty[(String, Throwable)]
    val over               = new CountDownLatch(1)
    val handler: Handler   = Handler { (request: Request) =>
      val kept   = request.keep
      val stream = request.body.stream
      Async.blocking {
        mistakes = List(
          "bytes"       -> failure(request.body.bytes),
          "some bytes"  -> failure(request.body.bytes(100)),
          "stream"      -> failure(stream.next()),
          "kept text"   -> failure(kept.text),
          "kept form"   -> failure(kept.form),
          "kept stream" -> failure(kept.body.stream.next()),
          "kept lines"  -> failure(kept.body.lines().next())
        )
        over.countDown()
      }.flatMap(_ => kept.text).map(text => Response.ok(s"read $text"))
    }
    val config = ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1, log = Log.none)
    val server = Server(handler, config).start()
    try {
      val client =
        new RawClient(server.port).send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
      assert(over.await(10, TimeUnit.SECONDS))
      client.send("cde")
      assert(client.readUntil("read abcde").startsWith("HTTP/1.1 200 "), "it is not used up, either")
      client.close()
    } finally Await.result(server.close(), 20.seconds)
    assertEquals(mistakes.size, 7)
    for ((what, e) <- mistakes) {
      assert(e.isInstanceOf[IllegalStateException], s"$what: $e")
      assert(e.getMessage.contains("loop only"), s"$what: $e")
    }
  }

  private def failure(read: => Any): Throwable =
    try
      read match {
        case async: Async[?] => async.resultOrNull match {
            case result if result != null && !result.isValue => result.error
            case _                                           => null
          }
        case _ => null
      }
    catch { case e: Throwable => e }
}
