package needletail.client.tunnel

import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.concurrent.{Await, Promise}
import scala.concurrent.duration._

import needletail.client.{Client, Serving}
import needletail.client.config.{ClientConfig, HttpProxy, Proxies, RetryConfig}
import needletail.client.error.ClientError
import needletail.http.{Handler, Response}
import needletail.io.{Address, Tls, TlsServerConfig}
import needletail.server.ServerFixture
import needletail.server.tcp.{Answer, TcpServer}
import needletail.tcp.{
  Codec,
  Decoded,
  Decoder,
  TcpClient,
  TcpClientConfig,
  TcpClientError,
  TcpProtocol,
  TcpSession
}
import needletail.testing.{Suite, TemporaryDirectories}

/** Calls through HTTP proxies. */
class ProxiesSuite extends Suite with Serving with TemporaryDirectories {
  private val handler: Handler = request =>
    if (request.path == "/echo") Response.ok.stream(request.body.stream)
    else
      Response.ok(s"${request.path} ${request.authority} ${request.headers.contains("proxy-authorization")}")

  private def through[A](proxy: TestProxy, config: ClientConfig = clientConfig)(body: Client => A): A =
    try calling(config.copy(proxies = Proxies.all(proxy.url)))(body)
    finally proxy.close()

  test("a proxy that is away: the error says that it is the proxy that cannot be reached") {
    val gone = new java.net.ServerSocket(0)
    val port = gone.getLocalPort
    gone.close()
    calling(clientConfig.copy(proxies = Proxies.all(s"http://127.0.0.1:$port"))) { client =>
      for (
        (url, why) <- Seq(
          "http://shop.test/"  -> s"through its proxy: cannot connect to 127.0.0.1:$port",
          "https://shop.test/" -> s"cannot connect through the proxy 127.0.0.1:$port"
        )
      ) {
        val e = intercept[ClientError.CannotConnect](client.get(url).await())
        assert(e.getMessage.startsWith(s"GET $url: $why"), e.getMessage)
      }
    }
  }

  test("http: the whole URL is sent to the proxy, which need not know where it leads") {
    val proxy = new TestProxy(credentials = true)
    through(proxy) { client =>
      val seen = client.get("http://nowhere.invalid:81/a?b").await().text.split("\r\n").toList
      assertEquals(seen.head, "GET http://nowhere.invalid:81/a?b HTTP/1.1")
      assert(
        seen.contains("Host: nowhere.invalid:81") && seen.exists(_.startsWith("Proxy-Authorization: Basic "))
      )
      assert(
        client.service("http://other.invalid").get("/").await().text.startsWith("GET http://other.invalid/ ")
      )
      val own = client.get("http://nowhere.invalid/").header("proxy-authorization", "Basic eDp5").await().text
      assertEquals(own.split("\r\n").count(_.toLowerCase.startsWith("proxy-authorization: ")), 1, own)
      assertEquals(proxy.connects.get, 0)
    }
    serving(handler) { (server, _) => // addresses of one's own are not the proxy's business
      through(new TestProxy()) { client =>
        val direct = client.service("http://name.invalid", Address.Tcp("127.0.0.1", server.port))
        assertEquals(direct.get("/x").await().text, "/x name.invalid false")
      }
    }
  }

  test("407 is a response by http, and an error by https; so is every other refusal, which says the status") {
    val proxy = new TestProxy(credentials = true)
    try
      calling(clientConfig.copy(proxies = Proxies.all(s"http://127.0.0.1:${proxy.port}"))) { client =>
        assertEquals(client.get("http://a.invalid/").await().status.code, 407)
        if (Tls.isKnown) {
          val e = intercept[ClientError.ProxyRefused](client.get("https://a.invalid/").await())
          assertEquals(
            (e.status.code, e.getMessage),
            (
              407,
              "GET https://a.invalid/: the proxy refused the connection: 407 Proxy Authentication Required"
            )
          )
          assertEquals(client.statistics.map(_.retries).sum, 0L)
        }
      }
    finally proxy.close()
  }

  test("https: a tunnel, over which TLS is spoken with the server itself") {
    if (Tls.isKnown) {
      val authority = newAuthority()
      val issued    = authority.issue("DNS:localhost")
      val secure    = serverConfig.copy(tls = Some(Tls.server(TlsServerConfig(issued.chain, issued.key))))
      serving(handler, serverConfig = secure) { (server, _) =>
        val trusting = clientConfig.copy(tls = Tls.trusting(authority.file))
        for (piece <- List(1000, 7)) {
          val proxy =
            new TestProxy(credentials = true, piece = piece, interim = "HTTP/1.1 103 Early\r\nA: b\r\n\r\n")
          through(proxy, trusting.copy(userAgent = Some("needle"))) { client =>
            val service = client.service(s"https://localhost:${server.port}")
            assertEquals(service.get("/a").await().text, s"/a localhost:${server.port} false")
            val body = "x" * 300000
            assert(service.post("/echo").body(body).await().text == body)
            assertEquals(proxy.connects.get, 1, "kept open")
            assert(proxy.request.startsWith(
              s"CONNECT localhost:${server.port} HTTP/1.1\r\nHost: localhost:${server.port}\r\nUser-Agent: needle\r\n"
            ))
          }
        }
        through(new TestProxy()) { client => // who is not trusted is not asked through a proxy either
          val e =
            intercept[ClientError.CannotConnect](client.get(s"https://localhost:${server.port}/").await())
          assert(e.getMessage.contains("cannot connect through the proxy 127.0.0.1:"), e.getMessage)
        }
      }
    }
  }

  test("a proxy that does not connect, says too much, too long, nonsense or nothing") {
    if (Tls.isKnown) {
      def failure(answer: String, within: FiniteDuration = 20.seconds): ClientError = {
        val config = clientConfig.copy(retry = RetryConfig(attempts = 1), connectTimeout = within)
        through(new TestProxy(answer = answer), config)(client =>
          intercept[ClientError](client.get("https://a.invalid/").await())
        )
      }
      def says(answer: String, expected: String, within: FiniteDuration = 20.seconds): Unit = {
        val e = failure(answer, within)
        assert(e.isInstanceOf[ClientError.CannotConnect] && e.getMessage.contains(expected), e.getMessage)
      }
      failure("HTTP/1.1 403 Forbidden\r\n\r\n") match {
        case e: ClientError.ProxyRefused => assertEquals(e.status.code, 403)
        case e                           => fail(e.getMessage)
      }
      // what follows is from the server behind, which does not speak TLS here
      for (interim <- List("", "HTTP/1.1 103 Early Hints\r\n\r\n"))
        says(s"${interim}HTTP/1.1 200 OK\r\n\r\n${"x" * 100}", "TLS")
      says("HTTP/1.1 100 Continue\r\n\r\n", "within 300 ms", 300.millis)
      says("HTTP/1.1 100 Continue\r\n\r\n" * 1000, "the proxy's answer is too long")
      says("HTTP/1.1 200 OK\r\nX: " + "y" * 20000, "the proxy's answer is malformed")
      says("SSH-2.0-x\r\n", "the proxy's answer is malformed")
      says("", "within 300 ms", 300.millis)
      through(new TestProxy()) { client => // which cannot connect itself
        val e = intercept[ClientError.ProxyRefused](client.get("https://localhost:1/").await())
        assertEquals(e.status.code, 502)
      }
    }
  }

  test("a variable is found by its name alone: HTTP_PROXY of a CGI program is not http_proxy") {
    import scala.jdk.CollectionConverters._
    val all = System.getenv().asScala.toMap
    assert(all.contains("PATH"))
    for (name <- all.keys.toSeq ++ all.keys.map(_.toLowerCase))
      assertEquals(Proxies.variable(name), all.get(name), name)
  }

  test("the environment, and who is called directly") {
    import needletail.client.url.Url
    def of(variables: (String, String)*)(url: String): String =
      Proxies.from(variables.toMap.get).of(Url.parse(url).fold(
        why => fail(why),
        _.origin
      )).fold("")(_.address.toString)
    val both = of("http_proxy" -> "http://p:1", "HTTPS_PROXY" -> "p:2/", "HTTP_PROXY" -> "q") _
    assertEquals(both("http://a/"), "p:1")
    assertEquals(of("all_proxy" -> "p")("http://a/"), "p:80")
    assertEquals(of("HTTP_PROXY" -> "p")("http://a/"), "p:80")
    assertEquals(of("HTTP_PROXY" -> "p", "REQUEST_METHOD" -> "GET")("http://a/"), "", "a request's header")
    assertEquals(of("http_proxy" -> "p", "REQUEST_METHOD" -> "GET")("http://a/"), "p:80")
    assertEquals(of("http_proxy" -> "")("http://a/"), "")
    val except =
      of(
        "http_proxy" -> "p",
        "no_proxy" -> " a.example, .b.example,c.example:81,10.0.0.1,[::1]:82,, *.d,10.4.0.0/14, fd00::/8,1.2.3.4/33,[0:0:0:0:0:0:0:2],fe80:0::0A:83"
      ) _
    for (
      direct <- List(
        "a.example",
        "x.A.example",
        "x.b.example",
        "c.example:81",
        "10.0.0.1:99",
        "[::1]:82",
        "e.d",
        "localhost",
        "127.0.0.1:8080",
        "10.7.255.1:8080",
        "[fd12::1]:8080",
        "[::2]",
        "[0:0::2]:8080",
        "[fe80::a:83]"
      )
    )
      assertEquals(except(s"http://$direct/"), "", direct)
    for (
      proxied <- List(
        "xa.example",
        "b.example",
        "c.example",
        "110.0.0.1",
        "d",
        "127.0.0.2",
        "10.8.0.1",
        "[fe80::1]",
        "1.2.3.4"
      )
    )
      assertEquals(except(s"http://$proxied/"), "p:80", proxied)
    assertEquals(of("http_proxy" -> "p", "NO_PROXY" -> "*")("http://a/"), "")

    // what is no port is not all ports
    val unreadable =
      List("a:8o", "a:", "a:-1", "a:-2", "a:0", "a:65536", "a:+80", "a:8080808080", "*:x", "[::2]:80a")
    for (entry <- unreadable) {
      val listed = of("http_proxy" -> "p", "no_proxy" -> s"$entry,b") _
      assertEquals(
        (listed("http://a/"), listed("http://[::2]/"), listed("http://b/")),
        ("p:80", "p:80", ""),
        entry
      )
      val e = intercept[IllegalArgumentException](Proxies.all("p", except = Seq("b", entry)))
      assert(e.getMessage.startsWith(s"except contains '$entry', but "), e.getMessage)
    }
    for (
      entry <- List("10.0.0.0/33", "fd00::/129", "10.0.0/8", "10.0.0.0/", "a.example/8", "http://a.example")
    ) {
      val e = intercept[IllegalArgumentException](Proxies.all("p", except = Seq("b", entry)))
      assertEquals(
        e.getMessage,
        s"except contains '$entry', but what has a slash must be a network, such as 10.0.0.0/8 or fd00::/8"
      )
    }

    def wrong(url: String): String =
      intercept[IllegalArgumentException](of("all_proxy" -> url)("http://a/")).getMessage
    assertEquals(wrong("socks5://u:secret@p"), "all_proxy: a proxy must have an http URL, not 'socks5'")
    assertEquals(wrong("http://u:secret@p/path"), "all_proxy: a proxy must be http://host:port")
    assert(!wrong("http://u:secret%@p").contains("secret"))
    assert(!wrong("http://u:secret%0a@p").contains("secret"))
    assertEquals(HttpProxy("http://u:a%40b@p").credentials, Some(("u", "a@b")))
    assert(!HttpProxy("http://u:a%40b@p").toString.contains("a@b"))
  }

  /** Lines of text, each ended by LF. */
  private object Lines extends Codec[String, String] {
    def decoder(): Decoder[String] = (bytes, from, until) => {
      val end = bytes.indexOf('\n'.toByte, from)
      if (end < 0 || end >= until) Decoded.More
      else Decoded.Message(new String(bytes, from, end - from, ISO_8859_1), end + 1)
    }
    def encode(line: String): Array[Byte] = (line + "\n").getBytes(ISO_8859_1)
  }

  test("a host that could add lines to what a proxy is asked is refused") {
    val config = TcpClientConfig(proxy = Some(HttpProxy("http://127.0.0.1:1")))
    for (
      host <-
        List("a:1 HTTP/1.1\r\nX: y\r\nZ: b", "a\r\nX: y", "a b", "", "\u00e4", "\u010d\u010a", "a/b", "a@b")
    )
      intercept[IllegalArgumentException](TcpClient(Lines, Address.Tcp(host, 80), config))
    for (host <- List("example.com", "my_host", "127.0.0.1", "::1"))
      TcpClient(Lines, Address.Tcp(host, 80), config).close()
  }

  test("a server behind a proxy may send first, also together with the proxy's answer") {
    for {
      interim <- List("", "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n")
      line    <- List("HTTP/1.1 200\r\n", "HTTP/1.1 200 Connection established\r\nContent-Length: 5\r\n")
      piece   <- List(1000, 7, 1)
    } {
      val first    = Promise[String]()
      val protocol = new TcpProtocol[String, String](Lines) {
        override def isPush(message: String, awaited: Option[String]): Boolean          = true
        override def pushed(session: TcpSession[String, String], message: String): Unit = {
          first.trySuccess(message); ()
        }
      }
      val proxy  = new TestProxy(answer = s"$interim$line\r\nwelcome\n", piece = piece)
      val config = TcpClientConfig(proxy = Some(HttpProxy(proxy.url)), connectTimeout = 20.seconds)
      val client = TcpClient(protocol, Address.Tcp("a.invalid", 25), config)
      try {
        client.future("hello")
        assertEquals(Await.result(first.future, 20.seconds), "welcome")
      } finally {
        client.close()
        proxy.close()
      }
    }
  }

  test("a client of another protocol goes through a tunnel; without one its requests fail") {
    val echo = TcpServer.serve(Lines, ServerFixture.loopback)(_ => line => Answer(s"you: $line"))
    ServerFixture.serving(echo) { server =>
      val proxy = new TestProxy(credentials = true)
      try {
        val port                = server.port
        def asking(url: String) = {
          val client = TcpClient(
            Lines,
            Address.Tcp("127.0.0.1", port),
            TcpClientConfig(
              proxy = Some(HttpProxy(url)),
              connectTimeout = 20.seconds,
              requestTimeout = 20.seconds
            )
          )
          try Await.result(client.future("hello"), 30.seconds)
          finally client.close()
        }
        assertEquals(asking(proxy.url), "you: hello")
        assert(proxy.request.startsWith(s"CONNECT 127.0.0.1:$port HTTP/1.1\r\n"), proxy.request)
        val refused = intercept[TcpClientError.CannotConnect](asking(s"http://127.0.0.1:${proxy.port}"))
        assert(refused.getMessage.contains("407"), refused.getMessage)
        assertEquals(proxy.connects.get, 1)
      } finally proxy.close()
    }
  }
}
