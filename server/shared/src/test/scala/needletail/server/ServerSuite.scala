package needletail.server

import java.io.IOException

import scala.concurrent.Await
import scala.concurrent.duration._
import scala.util.Try

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.io.Address
import needletail.server.config.AdminConfig
import needletail.testing.Suite

/** A server with its loops and sockets: starting, limits, statistics, draining. */
class ServerSuite extends Suite {
  private val base = ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 2, log = Log.none)

  private val handler: Handler = request =>
    request.path match {
      case "/slow"   => Async.sleep(300.millis).map(_ => Response.ok("slow"))
      case "/echo"   => Response.ok.stream(request.body.stream)
      case "/pieces" => pieces(request.body.stream, Nil)
      case "/whole"  => request.body.bytes.map(Response.ok.bytes(_))
      case "/where"  => Response.ok(request.connection.remoteAddress)
      case path      => Response.ok(path)
    }

  /** Keeps the pieces as they were handed out, and sends them back when the last one has come. */
  private def pieces(source: ByteStream, before: List[Array[Byte]]): Async[Response] =
    source.next().flatMap {
      case Some(piece) => pieces(source, piece :: before)
      case None        => Async.value(Response.ok.bytes(before.reverse.toArray.flatten))
    }

  private def serving[A](config: ServerConfig = base)(body: RunningServer => A): A =
    ServerFixture.serving(handler, config)(body)

  private def get(path: String, more: String = "") = s"GET $path HTTP/1.1\r\nHost: a\r\n$more\r\n"

  private def await[A](f: scala.concurrent.Future[A]): A = Await.result(f, 20.seconds)

  test("it listens when start returns, on a port the system picked, and answers on every loop") {
    serving() { server =>
      assert(server.port > 0 && server.isReady)
      assertEquals(server.url, s"http://127.0.0.1:${server.port}")
      val clients = List.fill(8)(new RawClient(server.port))
      clients.foreach(c => assert(c.send(get("/x")).readUntil("/x").startsWith("HTTP/1.1 200 OK\r\n")))
      clients.foreach(_.close())
    }
  }

  test("what is handed out of a large body is not overwritten by what comes after it") {
    serving(base.copy(loops = 1, maxBodyInMemory = 4 * 1024 * 1024)) { server =>
      val body = Array.tabulate(3 * 1024 * 1024 + 17)(i => ('a' + (i * 7 + i / 251) % 26).toChar).mkString
      for (path <- List("/pieces", "/whole", "/echo")) {
        val clients = List.fill(2)(new RawClient(server.port))
        val senders = clients.map { client =>
          val head =
            s"POST $path HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n"
          val sender = new Thread(() => { client.send(head + body); () })
          sender.start()
          sender
        }
        clients.foreach { client =>
          val reply = client.readAll()
          val got   =
            if (path == "/echo")
              "\r\n[0-9a-f]+\r\n".r.replaceAllIn(reply.substring(reply.indexOf("\r\n\r\n") + 2), "")
            else reply.substring(reply.indexOf("\r\n\r\n") + 4)
          assert(got.startsWith(body), s"$path: ${got.length}")
          client.close()
        }
        senders.foreach(_.join(5000))
      }
    }
  }

  test("a taken port is an error that names it") {
    serving() { server =>
      val e = intercept[IOException](Server(handler, base.withPort(server.port)).start())
      assert(e.getMessage.contains(server.port.toString), e.getMessage)
    }
  }

  test("a reply that comes later, by the loop's own timer") {
    serving() { server =>
      val client = new RawClient(server.port)
      assert(client.send(get("/slow") + get("/next")).readUntil("/next").contains("slow"))
      client.close()
    }
  }

  test("a large body goes through and back while both sides write") {
    serving() { server =>
      val client = new RawClient(server.port)
      val size   = 3 * 1000 * 1000
      val writer = new Thread(() => {
        client.send(s"POST /echo HTTP/1.0\r\nContent-Length: $size\r\n\r\n")
        var left = size
        while (left > 0) {
          val n = Math.min(left, 50000)
          client.send("x" * n)
          left -= n
        }
      })
      writer.start()
      val reply = client.readAll()
      writer.join(5000)
      assertEquals(reply.length - reply.indexOf("\r\n\r\n") - 4, size)
      client.close()
    }
  }

  test("the peer's address is the client's own") {
    serving() { server =>
      val client = new RawClient(server.port)
      val own    = s"127.0.0.1:${client.socket.getLocalPort}"
      assert(client.send(get("/where")).readUntil(own).endsWith(own))
      client.close()
    }
  }

  test("statistics add up over the loops") {
    serving() { server =>
      val clients = List.fill(4)(new RawClient(server.port))
      clients.foreach(_.send(get("/a")).readUntil("/a"))
      clients.head.close()
      eventually(await(server.statistics).connectionsOpen == 3)
      val s = await(server.statistics)
      assertEquals((s.requests, s.connectionsTotal, s.connectionsMost, s.errors), (4L, 4L, 4, 0L))
      assertEquals(s.bytesRead, 4L * get("/a").length)
      assert(s.bytesWritten > 400 && s.uptime > Duration.Zero)
      clients.foreach(_.close())
    }
  }

  test("at the limit new connections wait in the backlog and are served when there is room") {
    serving(base.copy(maxConnections = 2, crowdedIdleTimeout = 1.minute)) { server =>
      val first  = new RawClient(server.port)
      val second = new RawClient(server.port)
      List(first, second).foreach(_.send(get("/a")).readUntil("/a"))
      val third = new RawClient(server.port).send(get("/third"))
      assertEquals(untilStill(await(server.statistics).connectionsOpen, 100.millis), 2)
      first.close()
      assert(third.readUntil("/third").endsWith("/third"))
      second.close()
      third.close()
    }
  }

  test("above 85 % of the limit idle connections go after a short time") {
    serving(base.copy(maxConnections = 10, crowdedIdleTimeout = 100.millis)) { server =>
      val idle = List.fill(8)(new RawClient(server.port))
      idle.foreach(_.send(get("/a")).readUntil("/a"))
      val more = new RawClient(server.port)
      idle.foreach(c => assert(c.isEnded))
      eventually(await(server.statistics).connectionsOpen <= 1)
      (more :: idle).foreach(_.close())
    }
  }

  test("an idle connection is closed after its timeout, a slow head is answered with 408") {
    serving(base.copy(idleTimeout = 1.second, headTimeout = 1.second)) { server =>
      val slow = new RawClient(server.port).send("GET /")
      val idle = new RawClient(server.port)
      assert(idle.send(get("/a")).readUntil("/a").endsWith("/a"))
      assert(idle.isEnded)
      assert(slow.readAll().startsWith("HTTP/1.1 408 "))
      idle.close()
      slow.close()
    }
  }

  /** Returns when every connection knows of the drain that has begun. */
  private def untilAllKnow(server: RunningServer): Unit = {
    def isListening =
      try { new RawClient(server.port).close(); true }
      catch { case _: IOException => false }
    eventually(!isListening)
    await(server.statistics) // the loops are asked for these after they were told
    ()
  }

  test("draining finishes what is under way, and a request on its way is answered") {
    val answer          = scala.concurrent.Promise[Response]()
    @volatile var asked = false
    val busily: Handler = request =>
      if (request.path == "/busy") { asked = true; Async.fromFuture(answer.future) }
      else Response.ok(request.path)
    val server = Server(busily, base.copy(drainGrace = 1.hour)).start()
    val busy   = new RawClient(server.port).send(get("/busy"))
    val late   = new RawClient(server.port)
    eventually(asked && await(server.statistics).connectionsOpen == 2)
    val ended = server.drain()
    assert(!server.isReady)
    untilAllKnow(server)
    assert(late.send(get("/late")).readAll().contains("Connection: close"))
    answer.success(Response.ok("slow"))
    val reply = busy.readAll()
    assert(reply.contains("Connection: close") && reply.endsWith("slow"), reply)
    List(busy, late).foreach(_.close())
    await(ended)
    eventually(Try(new RawClient(server.port).close()).isFailure, "it still listens")
  }

  test("draining serves the connections that wait in the backlog") {
    val close             = "Connection: close\r\n"
    val free              = new java.util.concurrent.CountDownLatch(1)
    @volatile var isBusy  = false
    val blocking: Handler = request => {
      if (request.path == "/busy") {
        isBusy = true
        free.await()
      }
      Response.ok(request.path)
    }
    val server = Server(blocking, base.copy(loops = 1, drainGrace = 1.hour)).start()
    val busy   = new RawClient(server.port).send(get("/busy", close))
    eventually(isBusy)
    val waiting = List.fill(200)(new RawClient(server.port).send(get("/waits", close)))
    val ended   = server.drain()
    free.countDown()
    assert(busy.readAll().endsWith("/busy"))
    waiting.foreach(client => assert(client.readAll().endsWith("/waits")))
    (busy :: waiting).foreach(_.close())
    await(ended)
  }

  test("draining closes what idles when its grace is over, and ends") {
    val server = Server(handler, base.copy(drainGrace = 100.millis)).start()
    val idle   = new RawClient(server.port)
    eventually(await(server.statistics).connectionsOpen == 1)
    val ended = server.drain()
    assert(idle.isEnded)
    await(ended)
    idle.close()
  }

  test("what is not finished by the drain's deadline is cut off") {
    val stuck: Handler = _ => new AsyncPromise[Response]
    val server         = Server(stuck, base.copy(drainTimeout = 200.millis)).start()
    val client         = new RawClient(server.port).send(get("/"))
    eventually(await(server.statistics).connectionsOpen == 1)
    Await.result(server.drain(), 20.seconds)
    assert(client.isEnded)
    client.close()
  }

  test("a loop that a fatal error ends takes the server with it, which stopped reports") {
    val fatal: Handler =
      request => if (request.path == "/fatal") throw new InternalError("for a test") else Response.ok("fine!")
    val server = Server(fatal, base.copy(admin = Some(AdminConfig(0)))).start()
    val idle   = List.fill(4)(new RawClient(server.port)) // on both loops
    idle.foreach(c => assert(c.send(get("/")).readUntil("fine!").startsWith("HTTP/1.1 200")))
    new RawClient(server.port).send(get("/fatal"))
    val e = intercept[IllegalStateException](Await.result(server.stopped, 20.seconds))
    assert(e.getMessage.contains("the event loop needletail-") && !server.isReady, e.getMessage)
    idle.foreach(c => assert(c.isEnded))
    eventually(Try(new RawClient(server.port).close()).isFailure, "it still listens")
    intercept[IllegalStateException](Await.result(server.drain(), 20.seconds))
    intercept[IllegalStateException](Await.result(server.close(), 20.seconds))
  }
}
