package needletail.content.forward

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.client.{BreakerConfig, BreakerState, Client, Serving}
import needletail.content._
import needletail.http.{ByteStream, Handler, Method, Request, Response, Status}
import needletail.routing._
import needletail.server.{Log, RawClient, RunningServer}
import needletail.testing.Suite
import needletail.testkit._

/** What goes through a proxy, over sockets. */
class ProxySuite extends Suite with Serving {
  private val origin: Handler = request =>
    request.path match {
      case "/echo" => Response.ok.stream(request.body.stream)
      case "/gone" => Response(Status.Gone).text("gone").header("Connection", "upgrade").header("X-Own", "1")
      case _       =>
        Response.ok(request.target + "\n" + request.headers.toList.map { case (n, v) =>
          s"${n.toLowerCase}=$v"
        }.mkString("\n"))
    }

  test("paths, bodies, statuses; fields of the connection stay, and Forwarded tells of the client") {
    serving(origin) { (server, client) =>
      val routes = proxy("/api", client.service(server.url))
      serving(routes) { (front, outer) =>
        val service = outer.service(front.url)
        val seen    = outer.await(
          service.get("/api/a%2Fb?q=1").header(
            "X-Mine",
            "2"
          ).header("X-Forwarded-For", "1.1.1.1").header("Forwarded", "for=x").text
        ).split('\n').toList
        assertEquals(seen.head, "/a%2Fb?q=1")
        assert(seen.contains("x-mine=2"), seen)
        assert(!seen.exists(_.startsWith("x-forwarded-for")), seen)
        val forwarded = seen.filter(_.startsWith("forwarded="))
        assertEquals(forwarded.length, 1)
        assert(
          forwarded.head.contains("for=\"127.0.0.1:") && forwarded.head.endsWith("proto=http"),
          forwarded
        )
        assertEquals(seen.filter(_.startsWith("via=")), List("via=1.1 needletail"))
        val passed = outer.await(service.get("/api").header("Via", "1.0 before").text).split('\n').toList
        assertEquals(
          (passed.head, passed.filter(_.startsWith("via="))),
          ("/", List("via=1.0 before", "via=1.1 needletail"))
        )
        val body = "x" * 300000
        assertEquals(outer.await(service.post("/api/echo").body(body).text), body)
        val gone = outer.await(service.get("/api/gone").response)
        assertEquals((gone.status.code, gone.text, gone.header("X-Own")), (410, "gone", Some("1")))
        assertEquals(outer.await(service.get("/other").response).status.code, 404)
      }
    }
  }

  test(
    "paths that evade the rules of routes before the proxy are refused on request, and else passed on as they are"
  ) {
    val evading = List("/api//admin", "/api/x%2f..%2fadmin", "/api/admin%5Cx", "/api/x//") ++
      List("/api/..;/a", "/api/.;/a", "/api/%2e%2e;x/a", "/api/..%3Bx/a", "/api/;/a", "/api/;x")
    serving(origin) { (server, client) =>
      def seen(config: ProxyConfig)(paths: String*) =
        serving(proxy("/api", client.service(server.url), config)) { (front, _) =>
          paths.toList.map { path =>
            val raw = new RawClient(front.port)
            try
              raw.send(s"GET $path HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").readAll().slice(9, 12)
            finally raw.close()
          }
        }
      assertEquals(seen(ProxyConfig(refuseAmbiguous = true))(evading*), evading.map(_ => "400"))
      assertEquals(
        seen(ProxyConfig(refuseAmbiguous = true))("/api", "/api/", "/api/a%20b/c/", "/api/a;x/..b;y"),
        List("200", "200", "200", "200")
      )
      assertEquals(seen(ProxyConfig())("/api//admin", "/api/admin%5Cx"), List("200", "200"))
    }
  }

  test("what a client says about itself is not passed on, however it is spelled, unless it is trusted") {
    val fields = List(
      "X-Forwarded-Prefix" -> "/evil",
      "X_Forwarded_For"    -> "1.1.1.1",
      "X-Forwarded-User"   -> "root",
      "X_Real_IP"          -> "1.1.1.1",
      "Proxy"              -> "http://evil.test"
    )
    serving(origin) { (server, client) =>
      def seen(config: ProxyConfig) =
        serving(proxy("/api", client.service(server.url), config)) { (front, outer) =>
          val call = fields.foldLeft(outer.service(front.url).get("/api/x")) { case (c, (n, v)) =>
            c.header(n, v)
          }
          outer.await(call.text).linesIterator.drop(1).map(_.takeWhile(_ != '=')).toSet
        }
      val names = fields.map(_._1.toLowerCase).toSet
      assertEquals(seen(ProxyConfig()) intersect names, Set.empty[String])
      assertEquals(seen(ProxyConfig(trusted = true)) intersect names, names - "proxy")
    }
  }

  test("Max-Forwards is counted down for OPTIONS, and the request that may go no further is answered") {
    serving(origin) { (server, client) =>
      serving(proxy("/api", client.service(server.url))) { (front, outer) =>
        def options(most: String) = outer.await(
          outer.service(front.url).call(Method.OPTIONS, "/api/x").header("Max-Forwards", most).response
        )
        assert(options("3").text.linesIterator.contains("max-forwards=2"), options("3").text)
        for (none <- List("0", "00")) assertEquals(options(none).status.code, 204)
        // more than can be counted is as much as can be
        val many = options("9" * 30).text
        assert(many.linesIterator.contains(s"max-forwards=${Long.MaxValue}"), many)
        for (other <- List("", "-5", "+5", "1 0", "0x", "\u00b2")) {
          val seen = options(other)
          assertEquals(seen.status.code, 200, other)
          assert(seen.text.linesIterator.contains(s"max-forwards=$other"), seen.text)
        }
        val get = outer.service(front.url).get("/api/x").header("Max-Forwards", "3")
        assert(outer.await(get.text).linesIterator.contains("max-forwards=3"))
      }
    }
  }

  test("a preflight that CORS answers gives back the connection to the service, whose response is not read") {
    val endless: Handler = request =>
      if (request.method != Method.OPTIONS) Response.ok("x")
      else Response.ok.stream(new ByteStream {
        def next(): Async[Option[Array[Byte]]] = Async.sleep(10.millis).map(_ => Some(new Array[Byte](100)))
        def cancel(): Unit                     = ()
      })
    val one = clientConfig.copy(connectionsPerHost = 1)
    serving(endless, config = one) { (server, client) =>
      val routes = proxy("/api", client.service(server.url)).cors(CorsConfig(Set("https://a.example")))
      serving(routes) { (front, outer) =>
        val service = outer.service(front.url)
        for (_ <- 1 to 3) {
          val preflight = service.call(Method.OPTIONS, "/api/x")
            .header("Origin", "https://a.example").header("Access-Control-Request-Method", "GET")
          val reply = outer.await(preflight.response)
          assertEquals(
            (reply.status.code, reply.header("Access-Control-Allow-Origin")),
            (204, Some("https://a.example"))
          )
        }
        assertEquals(outer.await(service.get("/api/x").text), "x")
        eventually(client.statistics.head.inFlight == 0)
      }
    }
  }

  test("the host that is passed on is that of an absolute target, and not what the client sent beside it") {
    serving(origin) { (server, client) =>
      val routes = proxy("/api", client.service(server.url), ProxyConfig(keepHost = true))
      serving(routes) { (front, _) =>
        val raw = new java.net.Socket("127.0.0.1", front.port)
        try {
          raw.setSoTimeout(20000)
          raw.getOutputStream.write(
            "GET http://good.test/api/x HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n".getBytes
          )
          val seen = new String(raw.getInputStream.readAllBytes(), "ISO-8859-1").linesIterator.toList
          assertEquals(seen.filter(_.startsWith("host=")), List("host=good.test"))
        } finally raw.close()
      }
    }
  }

  test("a malformed body is its client's fault: 400, and not a 502 of the service") {
    serving(origin) { (server, client) =>
      serving(proxy("/api", client.service(server.url))) { (front, _) =>
        for (chunk <- List("zz\r\n", "-1\r\n")) {
          val raw = new java.net.Socket("127.0.0.1", front.port)
          try {
            raw.setSoTimeout(20000)
            raw.getOutputStream.write(
              s"POST /api/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n$chunk".getBytes
            )
            val line =
              new java.io.BufferedReader(new java.io.InputStreamReader(raw.getInputStream)).readLine()
            assertEquals(line, "HTTP/1.1 400 Bad Request", chunk)
          } finally raw.close()
        }
      }
    }
  }

  test("the id of a request is passed on: the one that its response has") {
    serving(origin) { (server, client) =>
      for (accept <- List(true, false))
        serving(proxy("/api", client.service(server.url)).requestIds(RequestId(accept = accept))) {
          (front, outer) =>
            val service = outer.service(front.url)
            for (brought <- List(Some("mine"), Some("no id"), None)) {
              val call  = service.get("/api/x")
              val reply = outer.await(brought.fold(call)(call.header("X-Request-Id", _)).response)
              val seen  = reply.text.split('\n').filter(_.startsWith("x-request-id=")).toList
              val id    = reply.header("X-Request-Id").getOrElse("none")
              assertEquals(seen, List(s"x-request-id=$id"))
              assertEquals(id == "mine", accept && brought.contains("mine"))
            }
        }
    }
  }

  /** 120 bytes within 6 seconds. */
  private def slow: ByteStream = new ByteStream {
    private var left                       = 12
    def next(): Async[Option[Array[Byte]]] = {
      left -= 1
      if (left < 0) Async.value(None) else Async.sleep(500.millis).map(_ => Some(new Array[Byte](10)))
    }
    def cancel(): Unit = ()
  }

  test("a response, or an upload, may take longer than handlerTimeout, which is for the head") {
    val handler: Handler = request =>
      if (request.path == "/down") Response.ok.stream(slow)
      else request.body.bytes.map(bytes => Response.ok(bytes.length.toString))
    serving(handler) { (server, client) =>
      serving(
        proxy("/", client.service(server.url)),
        serverConfig = serverConfig.copy(handlerTimeout = 5.seconds)
      ) { (front, outer) =>
        val service    = outer.service(front.url)
        val (down, up) = outer.await(service.get("/down").response.zip(service.post("/up").body(slow).text))
        assertEquals((down.bytes.length, up), (120, "120"))
      }
    }
  }

  test(
    "a service that hangs until handlerTimeout has failed, and opens the breaker; a client that leaves does not"
  ) {
    val asked          = new AtomicInteger
    val hangs: Handler = _ => {
      asked.incrementAndGet()
      new AsyncPromise[Response]
    }
    val breaks = clientConfig.copy(breaker = BreakerConfig(minCalls = 5, openFor = 1.minute))
    def passing(limit: FiniteDuration)(handler: Client => RunningServer => Handler)(
        test: (RunningServer, Client) => Unit
    ): Unit =
      serving(hangs, config = breaks) { (server, client) =>
        val config = serverConfig.copy(handlerTimeout = limit)
        serving(handler(client)(server), serverConfig = config)((front, _) => test(front, client))
      }
    val proxied: Client => RunningServer => Handler =
      client => server => proxy("/", client.service(server.url))
    val called: Client => RunningServer => Handler = client =>
      server => Handler(request => client.get(server.url)(request.timeLimit).response.map(_.toResponse))
    for (handler <- List(proxied, called))
      passing(200.millis)(handler) { (front, client) =>
        calling() { outer =>
          // 504 if the client of the service is the first to notice
          for (_ <- 1 to 5) assert(Set(503, 504)(outer.await(outer.get(front.url).response).status.code))
          val statistics = client.statistics.head
          assertEquals((statistics.failures, statistics.timeouts), (5L, 5L))
          assertEquals(statistics.breaker, BreakerState.Open: BreakerState)
          val before = asked.get
          assertEquals(outer.await(outer.get(front.url).response).status.code, 503)
          assertEquals(asked.get, before) // not called any more
        }
      }
    passing(1.minute)(proxied) { (front, client) =>
      for (_ <- 1 to 6) {
        val before = asked.get
        val leaves = new RawClient(front.port)
        leaves.socket.setSoLinger(true, 0)
        leaves.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        eventually(asked.get > before)
        leaves.close()
      }
      eventually(client.statistics.head.cancelled == 6)
      assertEquals(
        (client.statistics.head.failures, client.statistics.head.breaker),
        (0L, BreakerState.Closed)
      )
    }
  }

  test("responses without content are successes: errors among them do not open the breaker") {
    val mixed: Handler = request =>
      request.path match {
        case "/same" => Response(Status.NotModified)
        case "/none" => Response(Status.NoContent)
        case _       => Response(Status.InternalServerError).text("no")
      }
    for (path <- List("/same", "/none"))
      serving(mixed) { (server, client) =>
        serving(proxy("/", client.service(server.url))) { (front, outer) =>
          val service            = outer.service(front.url)
          def status(of: String) = outer.await(service.get(of).response).status.code
          for (_ <- 1 to 60) assert(status(path) < 400)
          for (_ <- 1 to 25) assertEquals(status("/bad"), 500)
          assert(status(path) < 400, path)
          val statistics = client.statistics.head
          assertEquals((statistics.failures, statistics.cancelled), (25L, 0L))
        }
      }
  }

  test("a response to HEAD has the Content-Length of one to GET") {
    val text: Handler = _ => Response.ok("x" * 1234)
    serving(text) { (server, client) =>
      val inMemory: Handler = request =>
        client.call(request.method, server.url).response.map(_.toResponse)
      for (forwarding <- List[Handler](proxy("/", client.service(server.url)), inMemory))
        serving(forwarding) { (front, outer) =>
          val service = outer.service(front.url)
          for (call <- List(service.head("/"), service.get("/")))
            assertEquals(outer.await(call.response).header("Content-Length"), Some("1234"))
        }
    }
  }

  test("CONNECT is not passed on; a prefix may be percent-encoded in a request") {
    serving(origin) { (server, client) =>
      val service = client.service(server.url)
      val routes  = Routes(proxy("/api", service), proxy("/a:b", service))
      assertEquals(proxy("/", service).test(Request(Method.CONNECT, "example.com:443")).status.code, 501)
      assertEquals(routes.test(Request(Method.OPTIONS, "*")).status.code, 404)
      serving(routes) { (front, outer) =>
        val text = outer.await(outer.service(front.url).get("/a%3Ab/x/y").text)
        assertEquals(text.split('\n').head, "/x/y")
      }
    }
  }

  test(
    "what is between the client and this server is not passed on, and nothing that pretends to be a proxy's"
  ) {
    serving(origin) { (server, client) =>
      serving(proxy("/api", client.service(server.url))) { (front, _) =>
        val raw = new java.net.Socket("127.0.0.1", front.port)
        try {
          raw.setSoTimeout(20000)
          val fields = Seq(
            "Host: good.test",
            "Connection: close, X-Own",
            "X-Own: 1",
            "TE: trailers",
            "Proxy-Connection: keep-alive",
            "Proxy-Authorization: Basic eDp5",
            "Expect: 100-continue",
            "X-Real-IP: 1.1.1.1",
            "X-Forwarded-Host: evil.test",
            "X-Forwarded-Proto: https",
            "X-Forwarded-Port: 1",
            "X-Kept: 2"
          )
          raw.getOutputStream.write(s"GET /api/x HTTP/1.1\r\n${fields.map(_ + "\r\n").mkString}\r\n".getBytes)
          val seen = new String(raw.getInputStream.readAllBytes(), "ISO-8859-1").linesIterator.toList
          assert(seen.contains("x-kept=2"), seen)
          val names = fields.map(_.takeWhile(_ != ':').toLowerCase).toSet -- Set("host", "x-kept")
          assertEquals(seen.filter(line => names(line.takeWhile(_ != '=')) && line.contains('=')), Nil)
          assertEquals(seen.filter(_.startsWith("host=")), List("host=" + server.url.stripPrefix("http://")))
        } finally raw.close()
      }
    }
  }

  test("content that a filter has begun to read is not passed on in part: nothing is, but answered 500") {
    val asked = new AtomicInteger
    val said  = new ConcurrentLinkedQueue[String]
    val log   = new Log {
      def warn(message: String): Unit                    = ()
      def error(message: String, cause: Throwable): Unit = { said.add(cause.getMessage); () }
    }
    serving { request => asked.incrementAndGet(); origin(request) } { (server, client) =>
      val routes = proxy("/api", client.service(server.url))
        .around((request, next) => request.body.stream.next().flatMap(_ => next()))
      serving(routes, serverConfig = serverConfig.copy(log = log)) { (front, _) =>
        val chunk = "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
        for (content <- Seq("Content-Length: 9\r\n\r\nhello", chunk)) {
          val raw = new RawClient(front.port).send(s"POST /api/echo HTTP/1.1\r\nHost: a\r\n$content")
          assert(raw.readUntil("\r\n\r\n").startsWith("HTTP/1.1 500 "))
          raw.close()
          assert(said.poll().startsWith("the content of the request cannot be passed on"))
        }
      }
    }
    assertEquals(asked.get, 0)
  }
}
