package needletail.client.pool

import java.util.concurrent.CountDownLatch

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.client.{Client, Misbehaving, Scripted, Visitor}
import needletail.client.config.Proxies
import needletail.client.error.ClientError
import needletail.client.url.Origin
import needletail.http._
import needletail.io.Address
import needletail.testing.Suite

/** Bounds of a pool and of its queue, cancelling, pipelining. */
class PoolSuite extends Suite with Misbehaving {
  private val two = strict.copy(connectionsPerHost = 2)

  /** A server that never answers, and how many requests came to it and were given up. */
  private final class Held {
    @volatile var count     = 0 // both are written on the server's only loop
    @volatile var cancelled = 0
    val handler: Handler    = _ => {
      val reply = new AsyncPromise[Response]
      reply.onCancel(() => cancelled += 1)
      count += 1
      reply
    }
  }

  private def stats(client: Client) = client.statistics.head

  test("no more connections than allowed, no more waiting than allowed") {
    val held = new Held
    serving(held.handler, two.copy(maxQueued = 3)) { (server, client) =>
      val calls = List.fill(5)(client.get(server.url).future)
      eventually(held.count == 2 && stats(client).waiting == 3)
      assertEquals((stats(client).open, stats(client).inFlight), (2, 2))
      val e = intercept[ClientError.QueueFull](client.get(server.url).await())
      assertEquals(e.getMessage, s"GET ${server.url}/: 3 calls are already waiting for a connection")
      client.close()
      calls.foreach(c => assert(await(c.failed).isInstanceOf[ClientError]))
    }
  }

  test("a place in the queue is for a time; then the call fails, and its successors are served") {
    @volatile var gate = scala.concurrent.Promise[Unit]()
    serving(
      _ => Async.fromFuture(gate.future).map(_ => Response.ok("late")),
      strict.copy(connectionsPerHost = 1, queueTimeout = 100.millis)
    ) {
      (server, client) =>
        val first = client.get(server.url).future
        eventually(client.statistics.headOption.exists(_.inFlight == 1))
        val e = intercept[ClientError.QueueTimeout](client.get(server.url).await())
        assertEquals(e.getMessage, s"GET ${server.url}/: no connection became free within 100 ms")
        gate.success(())
        assertEquals(await(first).text, "late")
        assertEquals(client.get(server.url).await().text, "late")
        gate = scala.concurrent.Promise[Unit]()
        val short = client.get(server.url).future
        eventually(stats(client).inFlight == 1)
        val t = intercept[ClientError.TimedOut](client.get(server.url).timeout(20.millis).await())
        assert(
          t.getMessage.endsWith("within 20 ms: it was waiting for a connection, with 1 of 1 in use"),
          t.getMessage
        )
        gate.success(())
        await(short)
    }
  }

  test("an attempt to connect that throws fails its call and keeps no place") {
    val through = strict.copy(connectionsPerHost = 1, proxies = Proxies.all("http://127.0.0.1:9"))
    val nobody  = Address.Tcp("no name", 443) // which no proxy can be asked for
    calling(through) { client =>
      val host = new Host(Origin("https://no name", "no name", nobody, isSecure = true), Seq(nobody), through)
      for (_ <- 1 to 2) {
        val call = client.callOf(host, Method.GET, "/", TimeLimit.none)
        val e    = intercept[ClientError.CannotConnect](call.await())
        assert(e.getMessage.contains("neither a name nor an address"), e.getMessage)
        assertEquals((host.statistics.open, host.statistics.waiting), (0, 0))
      }
    }
  }

  test("one with less time than those before it in the queue leaves before them") {
    val held = new Held
    serving(held.handler, strict.copy(connectionsPerHost = 1)) { (server, client) =>
      client.get(server.url).future
      eventually(held.count == 1)
      val patient = client.get(server.url).future
      eventually(stats(client).waiting == 1)
      val begun = System.nanoTime()
      intercept[ClientError.TimedOut](client.get(server.url).timeout(50.millis).await())
      assert(System.nanoTime() - begun < 20.seconds.toNanos && !patient.isCompleted)
      assertEquals(stats(client).waiting, 1)
    }
  }

  test("cancelling takes a call out of the queue") {
    val held = new Held
    serving(held.handler, strict.copy(connectionsPerHost = 1)) { (server, client) =>
      val first = client.get(server.url).future
      eventually(held.count == 1)
      client.await {
        val second = client.get(server.url).response
        assertEquals(stats(client).waiting, 1)
        second.cancel()
        assertEquals((stats(client).waiting, stats(client).cancelled), (0, 1L))
        Async.unit
      }
      assert(!first.isCompleted)
    }
  }

  test("cancelling a call under way closes its connection, and the server's handler is cancelled too") {
    val held = new Held
    serving(held.handler) { (server, client) =>
      client.await {
        val call                    = client.get(server.url).response
        def cancelThen: Async[Unit] =
          if (held.count == 0) Async.sleep(1.milli).flatMap(_ => cancelThen)
          else { call.cancel(); Async.unit }
        cancelThen
      }
      eventually(held.cancelled == 1)
      eventually(stats(client).open == 0 && stats(client).cancelled == 1)
    }
  }

  test("timeouts and races cancel what they do not wait for") {
    val held = new Held
    serving(held.handler) { (server, client) =>
      intercept[needletail.async.TimedOut](client.await(client.get(server.url).response.timeout(3.seconds)))
      eventually(held.cancelled == 1)
      val e = intercept[ClientError.TimedOut](client.get(server.url).timeout(3.seconds).await())
      assert(e.getMessage.contains("within 3000 ms"), e.getMessage)
      eventually(held.cancelled == 2)
      client.await(client.get(server.url).text.race(Async.sleep(3.seconds).map(_ => "sooner")))
      eventually(held.cancelled == 3 && stats(client).open == 0)
    }
  }

  test("the small rest of an unwanted response is drained, and its connection kept") {
    val large = "x" * 100000
    scripted((peer, n) => {
      val length = if (n == 1) 1000 else large.length
      peer.send(s"HTTP/1.1 200 OK\r\nContent-Length: $length\r\n\r\n${large.take(500)}")
      peer.later(100)(peer.send(large.take(length - 500)))
    }) { (server, client) =>
      def left() = client.await(client.get(server.url).stream.map(_.body.cancel()))
      left()
      eventually(stats(client).idle == 1)
      assertEquals(server.closed.get, 0)
      left()
      eventually(server.closed.get == 1 && stats(client).open == 0, "too much to drain")
    }
  }

  test("cancelling a response's body ends a read of it that is waiting") {
    scripted((peer, _) => peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")) { (server, client) =>
      val read = client.await(client.get(server.url).stream.flatMap { answer =>
        val next = answer.body.next()
        Async.yieldNow.flatMap { _ =>
          answer.body.cancel()
          next.map(_ => "more").recover { case e => e.getClass.getSimpleName }.race(Async.sleep(1.second).map(
            _ => "waits"
          ))
        }
      })
      assertEquals(read, "Cancelled")
      eventually(stats(client).open == 0)
    }
  }

  test("a stream that is neither read nor cancelled loses its connection after bodyTimeout") {
    serving(_ => Response.ok.bytes(new Array[Byte](5000000)), strict.copy(bodyTimeout = 100.millis)) {
      (server, client) =>
        val answer = client.await(client.get(server.url).stream)
        eventually(stats(client).open == 0)
        val e =
          intercept[ClientError.TimedOut](client.await(answer.body.next().flatMap(_ => answer.body.next())))
        assert(e.getMessage.contains("within 100 ms of its last bytes"), e.getMessage)
    }
  }

  test("pipelining is off by default; switched on, idempotent requests share connections") {
    val held = new Held
    serving(held.handler, two.copy(pipelining = 4)) { (server, client) =>
      val calls = List.fill(8)(client.get(server.url).future)
      eventually(stats(client).inFlight == 8)
      val post = client.post(server.url).future
      eventually(stats(client).waiting == 1, "one that is not idempotent waits for a connection of its own")
      assertEquals(stats(client).open, 2)
      client.close()
      (post :: calls).foreach(c => assert(await(c.failed).isInstanceOf[ClientError]))
    }
  }

  test("pipelined answers come in order, whatever the bytes' boundaries") {
    val handler: Handler = request =>
      if (request.path.endsWith("3")) Async.sleep(20.millis).map(_ => Response.ok("slow" + request.path))
      else Response.ok(request.path)
    serving(handler, strict.copy(connectionsPerHost = 1, pipelining = 8)) { (server, client) =>
      val service = client.service(server.url)
      val texts   = client.await(Async.all((1 to 200).map(i => service.get(s"/$i").text)))
      assertEquals(texts.map(_.stripPrefix("slow")), (1 to 200).map(i => s"/$i"))
      assertEquals(service.statistics.opened, 1L)
    }
  }

  test("a connection lost with several answers owed: those behind the first are asked again") {
    scripted(
      (peer, n) => if (n == 1) peer.close() else peer.send(ok),
      strict.copy(connectionsPerHost = 1, pipelining = 4)
    ) { (server, client) =>
      val service = client.service(server.url)
      val results = client.await {
        Async.all((1 to 3).map(i => service.get(s"/$i").text.recover { case _: ClientError => "lost" }))
      }
      assertEquals(results, Seq("lost", "ok", "ok"))
    }
  }

  test("cancelling one of several on a connection leaves the others their answers") {
    val gate = scala.concurrent.Promise[Unit]()
    serving(
      request => Async.fromFuture(gate.future).map(_ => Response.ok(request.path)),
      strict.copy(connectionsPerHost = 1, pipelining = 4)
    ) { (server, client) =>
      val service = client.service(server.url)
      val texts   = client.await {
        val calls = (1 to 3).map(i => service.get(s"/$i").text)
        Async.sleep(10.millis).flatMap { _ =>
          calls(1).cancel()
          gate.success(())
          calls(0) zip calls(2)
        }
      }
      assertEquals(texts, ("/1", "/3"))
      assertEquals(service.statistics.opened, 1L)
    }
  }

  test("time queued and time in transit are told apart") {
    serving(_ => Async.sleep(50.millis).map(_ => Response.ok), strict.copy(connectionsPerHost = 1)) {
      (server, client) =>
        val begun = System.nanoTime()
        client.await(Async.all(List.fill(4)(client.get(server.url).response)))
        val took = (System.nanoTime() - begun).nanos
        val s    = stats(client)
        assertEquals((s.queued.count, s.transit.count), (4L, 4L))
        // one after the other: with the time in the queue they would be more
        assert(s.transit.p50 >= 50.millis && s.transit.total <= took, s"${s.transit} in $took")
        assert(s.queued.max >= 150.millis && s.queued.total >= 300.millis, s.queued)
    }
  }

  test("hosts beyond the limit are forgotten, with their connections") {
    scripted((peer, _) => peer.send(ok), strict.copy(maxHosts = 3)) { (server, client) =>
      val others = List.fill(4)(new Scripted((peer, _) => peer.send(ok)))
      try {
        for (other <- others) assertEquals(client.get(other.url).await().text, "ok")
        assertEquals(client.statistics.size, 3)
        eventually(others.head.closed.get == 1)
        assertEquals(client.get(others.head.url).await().text, "ok", "it is no stranger after that")
      } finally others.foreach(_.close())
      assertEquals(server.opened.get, 0)
    }
  }

  test(
    "fault 14: services with addresses are kept as hosts are: one for the same, and no more than the limit"
  ) {
    scripted((peer, _) => peer.send(ok), strict.copy(maxHosts = 3)) { (server, client) =>
      val others                   = List.fill(4)(new Scripted((peer, _) => peer.send(ok)))
      def service(other: Scripted) = client.service("http://service", Address.Tcp("127.0.0.1", other.port))
      try {
        (1 to 20).foreach(_ => assertEquals(service(others.head).get("/").await().text, "ok"))
        assertEquals((client.statistics.size, others.head.opened.get), (1, 1))
        val first = service(others.head)
        for (other <- others) assertEquals(service(other).get("/").await().text, "ok")
        assertEquals(client.statistics.size, 3)
        eventually(others.head.closed.get == 1)
        assertEquals(first.get("/").await().text, "ok", "it is no stranger after that")
        assertEquals(client.statistics.size, 3)
      } finally others.foreach(_.close())
      assertEquals(server.opened.get, 0)
    }
  }

  test("fault 14: a service that was forgotten is the one that was made in its place") {
    scripted((peer, _) => peer.send(ok), strict.copy(maxHosts = 2)) { (server, client) =>
      def service = client.service("http://service", Address.Tcp("127.0.0.1", server.port))
      val kept    = service
      assertEquals(kept.get("/").await().text, "ok")
      kept.close()
      assertEquals(service.get("/").await().text, "ok")
      assertEquals(kept.get("/").await().text, "ok")
      assertEquals((server.opened.get, client.statistics.size), (2, 1))
      val others = List.fill(2)(new Scripted((peer, _) => peer.send(ok)))
      try {
        for (other <- others) assertEquals(client.get(other.url).await().text, "ok")
        eventually(server.closed.get == 2)
      } finally others.foreach(_.close())
    }
  }

  test("fault 14: a service that is closed leaves nothing behind, and may be used again") {
    scripted((peer, _) => peer.send(ok)) { (server, client) =>
      val service = client.service("http://service", Address.Tcp("127.0.0.1", server.port))
      assertEquals(service.get("/").await().text, "ok")
      service.close()
      assertEquals(client.statistics.size, 0)
      eventually(server.closed.get == 1)
      assertEquals(service.get("/").await().text, "ok")
      assertEquals(client.statistics.size, 1)
    }
  }

  test("each loop has connections of its own, and the figures are of all") {
    serving(_ => Response.ok("hello")) { (back, client) =>
      val front = serverConfig.copy(loops = 3)
      serving(_ => client.get(back.url).text.map(Response.ok), serverConfig = front) { (server, _) =>
        val visitors = List.fill(6)(new Visitor(server.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
        eventually(visitors.forall(_.received > 0))
        assertEquals((stats(client).calls, stats(client).transit.count), (6L, 6L))
        assert(stats(client).opened >= 3, stats(client))
        visitors.foreach(_.reset())
      }
      eventually(stats(client).open == 0, "they end with their loops")
    }
  }

  test("loops that call a host for the first time at once are all counted") {
    calling() { client =>
      client.service("http://127.0.0.1:1")
      val host    = client.known.head
      val start   = new CountDownLatch(1)
      val threads = List.fill(4)(new Thread(() => {
        start.await()
        for (_ <- 1 to 50) host.countsOf(new AnyRef)
      }))
      threads.foreach(_.start())
      start.countDown()
      threads.foreach(_.join())
      assertEquals(host.counts.size, 200)
    }
  }
}
