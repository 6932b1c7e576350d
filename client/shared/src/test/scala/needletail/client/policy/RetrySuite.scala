package needletail.client.policy

import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{Await, Promise}
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.client.{Misbehaving, Scripted}
import needletail.client.config.{Balancing, BalancingConfig, BreakerConfig, RetryConfig}
import needletail.client.error.ClientError
import needletail.http._
import needletail.io.Address
import needletail.testing.Suite

/** Retries, redirections, breaker and several addresses, over real connections. */
class RetrySuite extends Suite with Misbehaving {
  private val quick = clientConfig.copy(retry = RetryConfig(firstDelay = 1.milli, maxDelay = 5.millis))

  /** Answers 503 so many times, then 200. */
  private def failing(times: Int): Handler = {
    val n = new AtomicInteger
    _ => if (n.incrementAndGet() <= times) Response(Status.ServiceUnavailable) else Response.ok("at last")
  }

  test("an idempotent call is made again, up to its attempts; the last answer counts") {
    serving(failing(2), quick) { (server, client) =>
      assertEquals(client.get(server.url).await().text, "at last")
      assertEquals((client.statistics.head.calls, client.statistics.head.attempts), (1L, 3L))
      assertEquals((client.statistics.head.retries, client.statistics.head.failures), (2L, 2L))
    }
    serving(failing(3), quick) { (server, client) =>
      assertEquals(client.get(server.url).await().status, Status.ServiceUnavailable)
    }
  }

  test("one that is not is made once, unless it says that it may be repeated") {
    serving(failing(1), quick) { (server, client) =>
      assertEquals(client.post(server.url).body("x").await().status, Status.ServiceUnavailable)
    }
    serving(failing(1), quick) { (server, client) =>
      assertEquals(client.post(server.url).body("x").repeatable.await().text, "at last")
    }
    serving(failing(1), quick) { (server, client) =>
      assertEquals(client.get(server.url).once.await().status, Status.ServiceUnavailable)
    }
  }

  test("a stream that has been sent cannot be sent again") {
    serving(failing(1), quick) { (server, client) =>
      val call = client.put(server.url).body(ByteStream.of("x".getBytes))
      assertEquals(call.await().status, Status.ServiceUnavailable)
    }
  }

  test("however long a service is down, retries add a fifth to its load") {
    serving(failing(Int.MaxValue), quick.copy(breaker = BreakerConfig(enabled = false))) { (server, client) =>
      val service = client.service(server.url)
      for (_ <- 1 to 200) service.get("/").await()
      val s = service.statistics
      assertEquals(s.calls, 200L)
      assert(s.retries >= 40 && s.retries <= 40 + 10, s"${s.retries} retries for 200 calls")
    }
  }

  test("Retry-After is waited for where it is short, and else the answer is the answer") {
    def after(seconds: String): Handler = {
      val n = new AtomicInteger
      _ =>
        if (n.incrementAndGet() == 1) Response(Status.ServiceUnavailable).header("Retry-After", seconds)
        else Response.ok("at last")
    }
    serving(after("60"), quick) { (server, client) =>
      assertEquals(client.get(server.url).await().header("Retry-After"), Some("60"))
    }
    serving(after("1"), quick.copy(retry = RetryConfig(maxDelay = 2.seconds))) { (server, client) =>
      val begun = System.nanoTime()
      assertEquals(client.get(server.url).await().text, "at last")
      assert(System.nanoTime() - begun >= 1.second.toNanos)
    }
  }

  test("an attempt's own timeout leaves time for another") {
    scripted((peer, n) => if (n == 2) peer.send(ok), quick.copy(attemptTimeout = Some(1.second))) {
      (server, client) =>
        assertEquals(client.get(server.url).await().text, "ok")
        assertEquals(client.statistics.head.timeouts, 1L)
        val e = intercept[ClientError.TimedOut](client.get(server.url).await())
        assert(e.getMessage.contains("within 1000 ms"), e.getMessage)
    }
  }

  test("no retry goes on beyond the call's time") {
    serving(
      failing(Int.MaxValue),
      clientConfig.copy(retry = RetryConfig(attempts = 1000, firstDelay = 1.hour, maxDelay = 1.hour))
    ) {
      (server, client) =>
        val begun = System.nanoTime()
        client.get(server.url).timeout(5.seconds).await()
        assert(System.nanoTime() - begun < 20.seconds.toNanos) // all attempts would take longer
    }
  }

  test("cancelling while it rests ends it") {
    serving(
      failing(Int.MaxValue),
      clientConfig.copy(retry = RetryConfig(attempts = 100, firstDelay = 1.hour, maxDelay = 1.hour))
    ) {
      (server, client) =>
        client.await(client.get(server.url).text.timeout(1.second).recover { case _ => "" })
        assertEquals(client.statistics.head.attempts, 1L)
        assertEquals(client.statistics.head.inFlight, 0)
    }
  }

  // breaker

  test("the breaker opens, refuses at once, probes, and closes when the service is well") {
    @volatile var well   = false
    val handler: Handler = _ => if (well) Response.ok("well") else Response(Status.InternalServerError)
    val config           = strict.copy(breaker = BreakerConfig(minCalls = 5, openFor = 1.second, probes = 1))
    serving(handler, config) { (server, client) =>
      val service = client.service(server.url)
      for (_ <- 1 to 5) assertEquals(service.get("/").await().status, Status.InternalServerError)
      assertEquals(service.statistics.breaker, BreakerState.Open: BreakerState)
      val e = intercept[ClientError.BreakerOpen](service.get("/").await())
      assertEquals(e.getMessage, s"GET ${server.url}/: failing too often (the circuit breaker is open)")
      assertEquals(e.asHttpError.status, Status.ServiceUnavailable)
      assertEquals(service.statistics.refused, 1L)
      // until the time it is open for is over
      eventually(
        scala.util.Try(service.get("/").await().status).toOption.contains(Status.InternalServerError),
        "no probe"
      )
      intercept[ClientError.BreakerOpen](service.get("/").await())
      well = true
      eventually(scala.util.Try(service.get("/").await().text).toOption.contains("well"))
      assertEquals(service.statistics.breaker, BreakerState.Closed: BreakerState)
    }
  }

  test("streams that go on for ever are good probes, and do not keep a breaker half-open") {
    @volatile var well = false
    val head           = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n"
    scripted(
      (peer, _) =>
        if (!well) peer.send("HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n")
        else peer.send(if (peer.target == "/events") head else ok),
      strict.copy(breaker = BreakerConfig(minCalls = 5, openFor = 50.millis, probes = 2))
    ) { (server, client) =>
      val service = client.service(server.url)
      for (_ <- 1 to 5) assertEquals(service.get("/").await().status, Status.InternalServerError)
      well = true
      val reading = List.fill(2)(await(client.run {
        def tried: Async[ByteStream] = service.get("/events").stream.map(_.body).recoverWith {
          case _: ClientError.BreakerOpen => Async.sleep(10.millis).flatMap(_ => tried)
        }
        tried
      }))
      assertEquals(service.statistics.breaker, BreakerState.Closed: BreakerState)
      assertEquals(service.get("/").await().text, "ok")
      assertEquals(reading.size, 2)
    }
  }

  test("a stream that began before the breaker opened is no probe of it") {
    val endless = new ByteStream {
      private var isFirst                    = true
      def next(): Async[Option[Array[Byte]]] =
        if (isFirst) { isFirst = false; Async.value(Some("x".getBytes)) }
        else new AsyncPromise[Option[Array[Byte]]]
      def cancel(): Unit = ()
    }
    val handler: Handler = request =>
      request.path match {
        case "/begun" => Response.ok.stream(endless)
        case "/bad"   => Response(Status.InternalServerError).text("no")
        case _        => Async.sleep(1.hour).map(_ => Response.ok("late"))
      }
    val breaker = BreakerConfig(minCalls = 4, openFor = 50.millis, probes = 1)
    serving(handler, strict.copy(breaker = breaker)) { (server, client) =>
      val service = client.service(server.url)
      val begun   = new AtomicInteger
      val leave   = Promise[Unit]()
      val left    = client.run(service.get("/begun").stream.flatMap { response =>
        begun.incrementAndGet()
        Async.fromFuture(leave.future).map(_ => response.body.cancel())
      })
      eventually(begun.get == 1, "it has not begun")
      for (_ <- 1 to 4) assertEquals(service.get("/bad").await().status.code, 500)
      assertEquals(service.statistics.breaker, BreakerState.Open: BreakerState)
      eventually(
        {
          client.run(service.get("/probe").response)
          service.statistics.breaker == BreakerState.HalfOpen
        },
        "no probe is let through"
      )
      leave.success(())
      Await.result(left, 20.seconds)
      assertEquals(service.statistics.breaker, BreakerState.HalfOpen: BreakerState)
    }
  }

  test("a stream that is cancelled counts by its status") {
    val handler: Handler = request =>
      if (request.path == "/good") Response.ok("x" * 1000)
      else Response(Status.InternalServerError).text("no")
    serving(handler, strict.copy(breaker = BreakerConfig(minCalls = 4))) { (server, client) =>
      val service            = client.service(server.url)
      def left(path: String) = client.await(service.get(path).stream.map { response =>
        response.body.cancel()
        response.status.code
      })
      for (_ <- 1 to 6) assertEquals(left("/good"), 200)
      for (_ <- 1 to 2) assertEquals(left("/bad"), 500)
      for (_ <- 1 to 2) assertEquals(service.get("/bad").await().status.code, 500)
      assertEquals(left("/good"), 200)
      assertEquals((service.statistics.failures, service.statistics.cancelled), (4L, 9L))
      for (_ <- 1 to 3) assertEquals(left("/bad"), 500)
      assertEquals(service.statistics.breaker, BreakerState.Open: BreakerState)
    }
  }

  test("streams that their readers leave unread do not open the breaker") {
    val config = strict.copy(bodyTimeout = 100.millis, breaker = BreakerConfig(minCalls = 2))
    serving(_ => Response.ok.bytes(new Array[Byte](5000000)), config) { (server, client) =>
      val service = client.service(server.url)
      val unread  = client.await(Async.all(List.fill(3)(service.get("/").stream)))
      eventually(service.statistics.open == 0, service.statistics)
      val statistics = service.statistics
      assertEquals((statistics.failures, statistics.timeouts), (0L, 0L))
      assertEquals(statistics.breaker, BreakerState.Closed: BreakerState)
      for (response <- unread)
        intercept[ClientError.TimedOut](
          client.await(response.body.next().flatMap(_ => response.body.next()))
        )
    }
  }

  test("a host that hangs opens its breaker by timeouts; other hosts do not notice") {
    val config = strict.copy(breaker = BreakerConfig(minCalls = 3))
    scripted((_, _) => (), config) { (hung, client) =>
      serving(_ => Response.ok("fine")) { (server, _) =>
        for (_ <- 1 to 3) intercept[ClientError.TimedOut](client.get(hung.url).timeout(1.second).await())
        val begun = System.nanoTime()
        intercept[ClientError.BreakerOpen](client.get(hung.url).await())
        assert(System.nanoTime() - begun < 10.seconds.toNanos) // and not after the time for a call
        assertEquals(client.get(server.url).await().text, "fine")
      }
    }
  }

  // several addresses

  private def named(name: String): Scripted =
    new Scripted((peer, _) => peer.send(s"HTTP/1.1 200 OK\r\nContent-Length: ${name.length}\r\n\r\n$name"))

  test("calls are shared out; an address that is dead is passed over at once, then left out") {
    val servers = List("a", "b", "c").map(named)
    val dead    = new java.net.Socket
    try {
      // bound, so that no other process gets it, and not listening
      dead.bind(new java.net.InetSocketAddress("127.0.0.1", 0))
      val nobody = dead.getLocalPort
      val config = quick.copy(balancing = BalancingConfig(Balancing.RoundRobin, failures = 2))
      calling(config) { client =>
        val addresses = (servers.map(_.port) :+ nobody).map(Address.Tcp("127.0.0.1", _))
        val service   = client.service("http://service", addresses: _*)
        val texts     = (1 to 24).map(_ => service.get("/").await().text)
        assertEquals(texts.toSet, Set("a", "b", "c"))
        val s = service.statistics
        assertEquals(s.addresses.filter(_.ejected).map(_.address), Seq(s"127.0.0.1:$nobody"))
        assertEquals(s.retries, 2L)
        assert(servers.head.received.head.contains("\r\nHost: service\r\n"), "all have the same name")
      }
      calling(config.copy(balancing = BalancingConfig(Balancing.RoundRobin))) { client =>
        val addresses = List(nobody, servers.head.port).map(Address.Tcp("127.0.0.1", _))
        val service   = client.service("http://service", addresses: _*)
        for (_ <- 1 to 4)
          assertEquals(service.post("/").body("x").await().text, "a", "what was never sent may be")
        assert(intercept[ClientError](for (_ <- 1 to 2)
          service.get("/").once.await()).getMessage.contains("refused"))
      }
    } finally {
      dead.close()
      servers.foreach(_.close())
    }
  }

  test("the slow one of two gets less") {
    val fast = named("fast")
    val slow = new Scripted((peer, _) => peer.later(50)(peer.send(ok)))
    try
      calling() { client =>
        val service =
          client.service("http://s", Address.Tcp("127.0.0.1", fast.port), Address.Tcp("127.0.0.1", slow.port))
        def some(n: Int): Async[Unit] =
          if (n == 0) Async.unit else service.get("/").text.flatMap(_ => some(n - 1))
        client.await(Async.all(List.fill(4)(some(50))))
        assert(
          fast.requests.get > 3 * slow.requests.get,
          s"${fast.requests.get} against ${slow.requests.get}"
        )
        assertEquals(service.statistics.addresses.map(_.inFlight), Seq(0, 0))
      }
    finally List(fast, slow).foreach(_.close())
  }

  // redirections

  private val redirecting: Handler = request =>
    request.path match {
      case "/loop"     => Response(Status.Found).header("Location", "/loop")
      case "/relative" => Response(Status.MovedPermanently).header("Location", "x/method")
      case "/bare"     => Response(Status.Found)
      case "/bad"      => Response(Status.Found).header("Location", "ftp://a/")
      case "/unix"     => Response(Status.Found).header("Location", "http+unix://%2Frun%2Fdocker.sock/")
      case path if path.startsWith("/to/") =>
        Response(Status(path.substring(4).toInt)).header("Location", "/method").text("moved")
      case path if path.endsWith("/method") => request.text.map(t => Response.ok(s"${request.method} $t"))
      case _                                => Response.notFound
    }

  test("redirections are followed by the rules of RFC 9110 §15.4") {
    serving(redirecting) { (server, client) =>
      val s = client.service(server.url)
      for (code <- List(301, 302, 303, 307, 308)) {
        assertEquals(s.get(s"/to/$code").await().text, "GET ", s"$code")
        assertEquals(s.head(s"/to/$code").await().status, Status.Ok)
      }
      for (code <- List(301, 302, 303))
        assertEquals(s.post(s"/to/$code").body("x").await().text, "GET ", s"POST becomes GET by $code")
      for (code <- List(307, 308))
        assertEquals(s.post(s"/to/$code").body("x").await().status.code, code, "nothing unsafe is done twice")
      assertEquals(s.put("/to/301").body("x").await().status.code, 301)
      assertEquals(s.put("/to/303").body("x").await().text, "GET ")
      assertEquals(s.get("/relative").await().text, "GET ")
      assertEquals(s.get("/to/302").noRedirects.await().status, Status.Found)
      assertEquals(s.get("/bare").await().status, Status.Found)
      assertEquals(s.statistics.opened, 1L, "what a redirection says besides is drained")
    }
  }

  test("those that lead nowhere end") {
    serving(redirecting) { (server, client) =>
      val s = client.service(server.url)
      assert(intercept[ClientError.BadRedirect](s.get("/loop").await()).getMessage.contains("more than 5"))
      assert(
        intercept[ClientError.BadRedirect](s.get("/bad").await()).getMessage.contains("must begin with http")
      )
      assert(intercept[ClientError.BadRedirect](s.get("/unix").await()).getMessage.contains("Unix"))
    }
  }

  test("a streamed body that has been sent is not sent again, empty, to where a redirection leads") {
    serving(redirecting) { (server, client) =>
      def sent(length: Option[Long]) = {
        val body = ByteStream.of("body".getBytes("UTF-8"))
        val call = client.service(server.url).get("/to/307")
        length.fold(call.body(body))(call.body(body, _)).await()
      }
      for (length <- List(None, Some(4L))) {
        val e = intercept[ClientError.BadRedirect](sent(length))
        assert(e.getMessage.contains("its streamed body cannot be sent again"), e.getMessage)
      }
      assertEquals(client.service(server.url).get("/to/307").body("body").await().text, "GET body")
    }
  }

  test("credentials do not go along to another origin") {
    scripted((peer, _) => peer.send(ok)) { (other, client) =>
      val away: Handler = request =>
        if (request.path == "/home") Response.ok(request.header("Authorization").getOrElse("none"))
        else Response(Status.Found).header(
          "Location",
          if (request.path == "/away") s"${other.url}/x" else "/home"
        )
      serving(away) { (server, _) =>
        def call(path: String) = client
          .get(server.url + path)
          .header("Authorization", "Bearer secret")
          .header("Cookie", "a=b")
          .header("X-Trace", "7")
        assertEquals(call("/").await().text, "Bearer secret")
        assertEquals(call("/away").await().text, "ok")
        val sent = other.received.head.toLowerCase
        assert(!sent.contains("secret") && !sent.contains("cookie") && sent.contains("x-trace: 7"), sent)
        assert(sent.contains(s"host: 127.0.0.1:${other.port}"), sent)
      }
    }
  }
}
