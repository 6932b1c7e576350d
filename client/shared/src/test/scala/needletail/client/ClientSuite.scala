package needletail.client

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.Promise
import scala.concurrent.duration._
import scala.util.{Failure, Success, Try}

import needletail.async.{Async, AsyncPromise, TimedOut}
import needletail.http._
import needletail.http.text.ByteWriter
import needletail.io.{Address, EventLoops}
import needletail.testing.Suite

/** Calls to our own server: what is sent, what comes back, how it composes. */
class ClientSuite extends Suite with Serving {

  private val handler: Handler = request =>
    request.path match {
      case "/echo"   => request.body.bytes.map(b => Response.ok.bytes(b))
      case "/pieces" =>
        Response.ok.stream(ByteStream.fromIterator(Iterator("one ", "two ", "three").map(_.getBytes)))
      case "/through" => Response.ok.stream(request.body.stream)
      case "/headers" =>
        Response.ok(request.headers.toList.map { case (n, v) => s"$n=$v" }.mkString("\n"))
      case "/method" => Response.ok(request.method.name).header("X-Method", request.method.name)
      case "/none"   => Response(Status.NoContent)
      case "/slow"   => Async.sleep(100.millis).map(_ => Response.ok("slow"))
      case "/big"    => Response.ok.bytes(new Array[Byte](3000000))
      case "/error"  => Response(Status.InternalServerError).text("no")
      case path      => Response.ok(path)
    }

  test("from any thread, and the connection is used again") {
    serving(handler) { (server, client) =>
      assertEquals(await(client.get(s"${server.url}/hello").future).text, "/hello")
      for (i <- 1 to 10) assertEquals(client.get(s"${server.url}/$i").await().text, s"/$i")
      val s = client.statistics.head
      assertEquals((s.calls, s.failures, s.opened, s.open, s.idle, s.inFlight), (11L, 0L, 1L, 1, 1, 0))
      assertEquals(s.host, server.url)
    }
  }

  test("on a loop: calls in a row read like blocking code, zip runs side by side") {
    serving(handler) { (server, client) =>
      val service = client.service(server.url)
      val begun   = System.nanoTime()
      val text    = client.await {
        for {
          user            <- service.get("/user").text
          (orders, stock) <- service.get(s"$user/slow").text zip service.get("/slow").text
          more            <- service.post("/echo").body(orders).text
        } yield s"$user $stock $more"
      }
      assertEquals(text, "/user slow /user/slow")
      assert(System.nanoTime() - begun >= 100.millis.toNanos)
      assertEquals(client.statistics.map(_.opened).sum, 2L, "zip used two connections at once")
    }
  }

  test("direct style, on any thread that may block") {
    serving(handler) { (server, client) =>
      def page(id: Int): String = {
        val user   = client.get(s"${server.url}/users/$id").await().text
        val orders = client.get(s"${server.url}/orders$user").await().text
        s"$user: $orders"
      }
      assertEquals(page(7), "/users/7: /orders/users/7")
      // inside a handler: on a virtual thread where the platform has them
      assertEquals(client.await(Async.blocking(page(8))), "/users/8: /orders/users/8")
    }
  }

  test("await on an event loop is refused: it would hold up the loop") {
    serving(handler) { (server, client) =>
      val e = intercept[IllegalStateException](client.await(Async.attempt(client.get(server.url).await())))
      assert(e.getMessage.contains("would block an event loop"), e.getMessage)
    }
  }

  test("an Async asked for on a thread without a loop is refused") {
    calling() { client =>
      val e = intercept[IllegalStateException](client.get("http://127.0.0.1:1/").response)
      assert(e.getMessage.contains("event loop"), e.getMessage)
    }
  }

  test("interrupting a thread that awaits cancels the call") {
    val gone                        = new java.util.concurrent.CountDownLatch(1)
    val begun                       = new java.util.concurrent.CountDownLatch(1)
    val waiting: Handler            = _ => { begun.countDown(); new AsyncPromise[Response] }
    @volatile var thrown: Throwable = null
    serving(waiting) { (server, client) =>
      val thread = new Thread(() =>
        try { client.get(server.url).await(); () }
        catch { case e: InterruptedException => thrown = e }
        finally gone.countDown()
      )
      thread.start()
      begun.await()
      thread.interrupt()
      gone.await()
      assert(thrown != null)
      eventually(client.statistics.head.open == 0 && client.statistics.head.cancelled == 1)
    }
  }

  test("methods, headers, queries") {
    serving(handler, clientConfig.copy(userAgent = Some("needle"))) { (server, client) =>
      for (m <- List("GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS", "BREW"))
        if (m != "BREW") assertEquals(client.call(Method(m), s"${server.url}/method").await().text, m)
      val head = client.head(s"${server.url}/method").await()
      assertEquals((head.text, head.header("x-method")), ("", Some("HEAD")))
      val sent = client.get(s"${server.url}/headers").header("X-A", "b").setHeader("X-A", "c").await().text
      assertEquals(
        sent.split('\n').toList,
        List(s"Host=127.0.0.1:${server.port}", "User-Agent=needle", "X-A=c")
      )
      val other = client.get(s"${server.url}/headers").header("Host", "other").await().text
      assertEquals(other.split('\n').toList, List("User-Agent=needle", "Host=other"))
      val own = client.get(s"${server.url}/headers").header("user-agent", "own").await().text
      assertEquals(own.split('\n').toList, List(s"Host=127.0.0.1:${server.port}", "user-agent=own"))
      val both =
        client.get(s"${server.url}/headers").header("Host", "other").header("User-Agent", "own").await().text
      assertEquals(both.split('\n').toList, List("Host=other", "User-Agent=own"))
      assertEquals(client.get(s"${server.url}/none").await().status, Status.NoContent)
      val error = client.get(s"${server.url}/error").await()
      assertEquals((error.isSuccess, error.text), (false, "no"), "an error is an answer too")
    }
  }

  test("what would split or misframe a request is refused before anything is sent") {
    calling() { client =>
      val call = client.get("http://a/")
      for (name <- List("Content-Length", "transfer-encoding", "Connection", "Expect", "TE", "Upgrade"))
        intercept[IllegalArgumentException](call.header(name, "x"))
      intercept[IllegalArgumentException](call.header("A", "b\r\nC: d"))
      intercept[IllegalArgumentException](call.header("A b", "c"))
      intercept[IllegalArgumentException](client.get("http://a/ b"))
      intercept[IllegalArgumentException](client.service("http://a").get("/\r\nX: y"))
      intercept[IllegalArgumentException](client.service("http://a/path"))
      intercept[IllegalArgumentException](client.call(Method.CONNECT, "http://a/"))
      val e = intercept[IllegalArgumentException](client.get("ftp://a/"))
      assertEquals(
        e.getMessage,
        "a URL must begin with http:// or https://, or with http+unix:// and the path of a socket: 'ftp://a/'"
      )
    }
  }

  test("bodies both ways, small and large, whole and in pieces") {
    serving(handler) { (server, client) =>
      val echo = client.service(server.url).post("/echo")
      for (n <- List(0, 1, 1000, 16 * 1024, 16 * 1024 + 1, 1000000)) {
        val body = Array.tabulate(n)(i => (i * 7).toByte)
        assert(java.util.Arrays.equals(echo.body(body).await().bytes, body), s"$n bytes")
        val pieces = ByteStream.fromIterator(body.grouped(9999))
        assert(java.util.Arrays.equals(echo.body(pieces).await().bytes, body), s"$n bytes in chunks")
        val known = ByteStream.fromIterator(body.grouped(9999))
        assert(java.util.Arrays.equals(echo.body(known, n.toLong).await().bytes, body), s"$n in pieces")
      }
      assertEquals(client.get(s"${server.url}/pieces").await().text, "one two three")
      assertEquals(client.statistics.head.opened, 1L)
    }
  }

  private def drain(stream: ByteStream, pause: FiniteDuration, sum: Long = 0): Async[Long] =
    Async.sleep(pause).flatMap(_ => stream.next()).flatMap {
      case Some(piece) => drain(stream, pause, sum + piece.length)
      case None        => Async.value(sum)
    }

  test("a streamed answer comes as it is asked for") {
    serving(handler) { (server, client) =>
      val size = client.await {
        client.get(s"${server.url}/big").stream.flatMap(answer => drain(answer.body, 1.milli))
      }
      assertEquals(size, 3000000L)
      val text = client.await {
        client.get(s"${server.url}/pieces").stream.flatMap { answer =>
          MessageBody.collect(answer.body, new ByteWriter(16), 100).map(b =>
            s"${answer.status} ${new String(b)}"
          )
        }
      }
      assertEquals(text, "200 OK one two three")
      eventually(client.statistics.head.idle == 1)
    }
  }

  test("who stops waiting for a piece of an answer may ask for it at once") {
    def slow: ByteStream = new ByteStream {
      private val waits                      = Iterator(0.millis, 200.millis)
      def next(): Async[Option[Array[Byte]]] =
        if (waits.hasNext) Async.sleep(waits.next()).map(_ => Some("piece".getBytes)) else Async.value(None)
      def cancel(): Unit = ()
    }
    serving(_ => Response.ok.stream(slow)) { (server, client) =>
      val size = client.await {
        client.get(server.url).stream.flatMap { answer =>
          def all(size: Int): Async[Int] =
            answer.body.next().timeout(20.millis).transform {
              case Success(Some(piece)) => all(size + piece.length)
              case Success(None)        => Async.value(size)
              case Failure(_: TimedOut) => all(size)
              case Failure(other)       => Async.fail(other)
            }
          all(0)
        }
      }
      assertEquals(size, 10)
    }
  }

  test("a body that is not read holds back the server and its source") {
    val piece         = new Array[Byte](64 * 1024)
    @volatile var fed = 0L
    def endless       = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = { fed += piece.length; Async.value(Some(piece.clone())) }
      def cancel(): Unit                     = ()
    }
    serving(_ => Response.ok.stream(endless)) { (server, client) =>
      val answer = client.await(client.get(server.url).stream)
      val before = untilStill(fed, 50.millis) // the buffers of both kernels are full
      assert(fed < 64L * 1024 * 1024, s"$fed bytes went into buffers")
      client.await(drainSome(answer.body, 100))
      eventually(fed > before, "asked again, it flows again")
      client.await { answer.body.cancel(); Async.unit }
      eventually(client.statistics.head.open == 0, "a body that never ends is not drained")
    }
  }

  private def drainSome(stream: ByteStream, pieces: Int): Async[Unit] =
    if (pieces == 0) Async.unit else stream.next().flatMap(_ => drainSome(stream, pieces - 1))

  test("a streamed request is asked for as the server takes it, and a proxy passes both on") {
    serving(handler) { (back, client) =>
      val through: Handler =
        request => client.post(s"${back.url}/through").body(request.body).stream.map(_.toResponse)
      serving(through) { (front, _) =>
        val pieces = ByteStream.fromIterator(Iterator.fill(300)(new Array[Byte](10000)))
        val size   = client.await {
          client.post(front.url).body(pieces).stream.flatMap(answer => drain(answer.body, 0.seconds))
        }
        assertEquals(size, 3000000L)
      }
    }
  }

  test("a stream that fails, or has another length than announced, fails the call and its connection") {
    serving(handler) { (server, client) =>
      val failing = new ByteStream {
        private var n                          = 0
        def next(): Async[Option[Array[Byte]]] = {
          n += 1
          if (n < 3) Async.value(Some(new Array[Byte](10)))
          else Async.fail(new RuntimeException("source dry"))
        }
        def cancel(): Unit = ()
      }
      val echo = client.service(server.url).post("/echo")
      val e    = intercept[ClientError.BadRequestBody](echo.body(failing).await())
      assert(e.getMessage.endsWith("the request's body failed: source dry"), e.getMessage)
      def five = ByteStream.of(new Array[Byte](5))
      intercept[ClientError.BadRequestBody](echo.body(five, 4).await())
      intercept[ClientError.BadRequestBody](echo.body(five, 6).await())
      assertEquals(echo.body(five, 5).await().bytes.length, 5)
      eventually(client.statistics.map(_.open).sum == 1)
    }
  }

  test("Expect: 100-continue sends the body when the server wants it, and not when it does not") {
    var asked           = 0
    val choosy: Handler = request =>
      if (request.path == "/no") Response(Status.Forbidden)
      else request.body.bytes.map(b => Response.ok.bytes(b))
    val source = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = {
        asked += 1
        Async.value(if (asked == 1) Some("hello".getBytes) else None)
      }
      def cancel(): Unit = ()
    }
    serving(choosy) { (server, client) =>
      val call = client.service(server.url)
      assertEquals(call.post("/no").body(source).expectContinue.await().status, Status.Forbidden)
      assertEquals(asked, 0)
      assertEquals(call.post("/yes").body(source).expectContinue.await().text, "hello")
    }
  }

  test("Unix sockets, by URL and as a service") {
    val path = java.io.File.createTempFile("needletail", ".sock")
    path.delete()
    val config = serverConfig.copy(address = Address.Unix(path.getPath))
    serving(handler, serverConfig = config) { (_, client) =>
      val encoded = path.getPath.replace("/", "%2F")
      assertEquals(client.get(s"http+unix://$encoded/a").await().text, "/a")
      val service = client.service("http://name.of.it", Address.Unix(path.getPath))
      assertEquals(service.get("/headers").await().text, "Host=name.of.it")
      assertEquals(service.statistics.opened, 1L)
    }
  }

  test("a closed client fails what waits and what comes") {
    serving(_ => new AsyncPromise[Response]) { (server, client) =>
      val pending = client.get(server.url).future
      eventually(client.statistics.headOption.exists(_.inFlight == 1))
      client.close()
      assert(await(pending.failed).isInstanceOf[ClientError], "cut off")
      assert(await(client.get(server.url).future.failed).isInstanceOf[ClientError.ClientClosed])
      intercept[ClientError.ClientClosed](client.get(server.url).await())
      val e = intercept[IllegalStateException](client.await(Async.unit))
      assertEquals(e.getMessage, "the client is closed")
      assertEquals(await(client.run(Async.unit).failed).getMessage, "the client is closed")
      client.close()
    }
  }

  test("a closed client fails what comes on loops that were lent to it") {
    serving(_ => Response.ok("x")) { (server, _) =>
      val loops  = new EventLoops(1, "lent", daemon = true)
      val client = Client(clientConfig, loops)
      try {
        assertEquals(client.get(server.url).await().text, "x")
        client.close()
        assert(await(client.get(server.url).future.failed).isInstanceOf[ClientError.ClientClosed])
        val onLoop = Async.run(loops(0))(client.get(server.url).response)
        assert(await(onLoop.failed).isInstanceOf[ClientError.ClientClosed])
      } finally loops.stop()
    }
  }

  test(
    "a closed client calls no host that it has not called before, and none on a loop that it has not used"
  ) {
    serving(_ => Response.ok("x")) { (server, client) =>
      serving(_ => Response.ok("y")) { (other, _) =>
        val loops = new EventLoops(2, "lent", daemon = true)
        try {
          assertEquals(await(Async.run(loops(0))(client.get(server.url).text)), "x")
          client.close()
          for ((i, url) <- List(0 -> other.url, 1 -> server.url)) {
            val result = await(Async.run(loops(i))(client.get(url).response).failed)
            assert(result.isInstanceOf[ClientError.ClientClosed], result)
          }
          assertEquals(client.statistics.map(_.opened).sum, 1L)
        } finally loops.stop()
      }
    }
  }

  test("closing ends what runs on the client's loops, whatever it waits for") {
    val client  = Client(clientConfig)
    val running = client.run(Async.sleep(1.hour))
    val begun   = new CountDownLatch(1)
    val blocked = Promise[Unit]()
    val thread  = new Thread({ () =>
      blocked.complete(Try(client.await {
        begun.countDown()
        Async.sleep(1.hour)
      }))
      ()
    })
    thread.setDaemon(true)
    thread.start()
    assert(begun.await(20, TimeUnit.SECONDS))
    client.close()
    assertEquals(await(running.failed).getMessage, "the client is closed")
    assertEquals(await(blocked.future.failed).getMessage, "the client is closed")
  }
}
