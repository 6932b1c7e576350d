package needletail.client

import scala.concurrent.duration._

import needletail.async.Async
import needletail.client.config.BreakerConfig
import needletail.testing.{KernelSocket, KernelSockets, Suite}

/** Hosts that are not there, and what is left behind after a long row of failures: nothing. */
class FaultSuite extends Suite with Misbehaving {

  test("nothing listens") {
    val port = {
      val gone = new Scripted((_, _) => ())
      gone.close()
      gone.port
    }
    calling(strict) { client =>
      val e = intercept[ClientError.CannotConnect](client.get(s"http://127.0.0.1:$port/").await())
      assert(
        e.getMessage.startsWith(s"GET http://127.0.0.1:$port/: cannot connect to 127.0.0.1:$port: "),
        e.getMessage
      )
      assert(e.getMessage.toLowerCase.contains("refused"), e.getMessage)
      assertEquals(client.statistics.head.open, 0)
    }
  }

  test("an unknown name") {
    calling(strict) { client =>
      val e = intercept[ClientError.CannotConnect](client.get("http://no-such-host.invalid/").await())
      assertEquals(
        e.getMessage,
        "GET http://no-such-host.invalid/: cannot connect to no-such-host.invalid:80: unknown host"
      )
    }
  }

  test("a socket file that is not there") {
    calling(strict) { client =>
      val e = intercept[ClientError.CannotConnect](client.get("http+unix://%2Fnone%2Fsuch.sock/").await())
      assert(
        e.getMessage.startsWith("GET unix:/none/such.sock/: cannot connect to /none/such.sock"),
        e.getMessage
      )
    }
  }

  test("a host that is full does not answer: the connect timeout") {
    val full  = new java.net.ServerSocket(0, 1, java.net.InetAddress.getByName("127.0.0.1"))
    val fills = Vector.fill(4)(new java.net.Socket)
    try {
      fills.foreach { s =>
        try s.connect(new java.net.InetSocketAddress("127.0.0.1", full.getLocalPort), 50)
        catch { case _: java.io.IOException => () } // which means that it is full
      }
      calling(strict.copy(connectTimeout = 100.millis)) { client =>
        val e =
          intercept[ClientError.CannotConnect](client.get(s"http://127.0.0.1:${full.getLocalPort}/").await())
        assert(e.getMessage.endsWith("no answer within 100 ms"), e.getMessage)
      }
    } finally {
      fills.foreach(_.close())
      full.close()
    }
  }

  test("after failures of every kind no connection is left behind, and service goes on") {
    assume(KernelSockets.areKnown, "sockets are looked for in /proc/net/tcp, which this system has not")

    /** Sockets that somebody holds at either end of a connection to that port; other suites may run beside this one. */
    def sockets(port: Int): Seq[KernelSocket] =
      KernelSockets.all.filter(s => (s.port == port || s.peer == port) && !s.listens && s.isHeld)

    val scripts: Vector[Peer => Unit] = Vector(
      _.close(),
      _.reset(),
      _.send("garbage"),
      p => { p.send("HTTP/1.1 200"); p.close() },
      p => { p.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"); p.reset() },
      p => { p.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"); p.close() },
      _.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nab"),
      _ => (), // says nothing: the call's time ends it
      _.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n"),
      _.send("HTTP/1.1 200 OK\r\nX: " + "x" * 40000),
      _.send("HTTP/1.1 302 Found\r\nLocation: nonsense://\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    )
    scripted(
      (peer, n) => if (peer.connection.isOpen && n > 0) scripts(n % scripts.size)(peer),
      strict.copy(breaker = BreakerConfig(enabled = false))
    ) { (server, client) =>
      val service                      = client.service(server.url)
      def round(n: Int): Async[Seq[_]] = Async.all(
        (1 to n).map(i =>
          service.get(s"/$i").timeout(100.millis).text.recover { case e: ClientError => e.getMessage }
        )
      )
      def settled() =
        eventually(service.statistics.open == 0 && server.opened.get == server.closed.get, service.statistics)
      val probe = new java.net.Socket("127.0.0.1", server.port)
      try assert(sockets(server.port).nonEmpty, "a socket is seen")
      finally probe.close()
      settled()
      for (_ <- 1 to 10) assertEquals(client.await(round(44)).count(_ == "ok"), 0)
      settled()
      eventually(sockets(server.port).isEmpty, sockets(server.port))
      assertEquals((service.statistics.inFlight, service.statistics.waiting), (0, 0))
    }
  }

  test("a service that dies under load and comes back: errors meanwhile, none after") {
    val first = new Scripted((peer, _) => peer.send(ok))
    val port  = first.port
    calling(strict.copy(breaker = BreakerConfig(minCalls = 10, openFor = 1.second, probes = 1))) { client =>
      val service                                 = client.service(s"http://127.0.0.1:$port")
      def some(n: Int, good: Int = 0): Async[Int] =
        if (n == 0) Async.value(good)
        else
          service.get("/").text.map(_ => 1).recover { case _: ClientError => 0 }.flatMap(k =>
            some(n - 1, good + k)
          )
      assertEquals(client.await(Async.all(List.fill(8)(some(20)))).sum, 160)
      first.close()
      eventually(first.opened.get == first.closed.get)
      client.await(Async.all(List.fill(8)(some(20))))
      assertEquals(service.statistics.breaker, BreakerState.Open: BreakerState)
      val second = new Scripted((peer, _) => peer.send(ok), needletail.io.Address.Tcp("127.0.0.1", port))
      try {
        eventually(scala.util.Try(service.get("/").await()).isSuccess)
        assertEquals(client.await(Async.all(List.fill(8)(some(20)))).sum, 160)
        assertEquals(service.statistics.breaker, BreakerState.Closed: BreakerState)
      } finally second.close()
    }
  }
}
