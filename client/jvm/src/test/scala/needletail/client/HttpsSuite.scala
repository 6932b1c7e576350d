package needletail.client

import com.sun.net.httpserver.HttpExchange

import needletail.http.ByteStream
import needletail.http.message.Status
import needletail.io.Tls
import needletail.testing.{Certificate, Suite, TlsServer}

/** Calls by https to the JDK's own server. */
class HttpsSuite extends Suite with Serving {
  private val trusting = clientConfig.copy(tls = Tls.trusting(Certificate.local.file))

  private def answer(exchange: HttpExchange): Unit = {
    val body = exchange.getRequestBody.readAllBytes()
    exchange.getRequestURI.getPath match {
      case "/echo"  => TlsServer.reply(exchange, 200, body)
      case "/host"  => TlsServer.reply(exchange, 200, exchange.getRequestHeaders.getFirst("Host").getBytes)
      case "/moved" =>
        exchange.getResponseHeaders.add("Location", "/host")
        TlsServer.reply(exchange, 302, Array.empty)
      case "/pieces" =>
        exchange.sendResponseHeaders(200, 0) // chunked
        for (i <- 1 to 300) exchange.getResponseBody.write(s"piece $i of some length\n".getBytes)
      case _ => TlsServer.reply(exchange, 404, "none".getBytes)
    }
  }

  test("calls of all sizes over one connection that is used again") {
    TlsServer.serving()(answer) { port =>
      calling(trusting) { client =>
        val s = client.service(s"https://localhost:$port")
        assertEquals(s.get("/host").await().text, s"localhost:$port")
        assertEquals(s.get("/nothing").await().status, Status.NotFound)
        assertEquals(s.get("/moved").await().text, s"localhost:$port")
        for (size <- List(0, 1, 16383, 16384, 16385, 900000)) {
          val body = Array.tabulate[Byte](size)(_.toByte)
          assert(java.util.Arrays.equals(s.post("/echo").body(body).await().bytes, body), s"$size bytes")
        }
        val streamed = ByteStream.fromIterator(Iterator.fill(200)(new Array[Byte](1000)))
        assertEquals(s.post("/echo").body(streamed).await().bytes.length, 200000)
        assert(s.get("/pieces").await().text.endsWith("piece 300 of some length\n"))
        assertEquals((s.statistics.failures, s.statistics.opened), (0L, 1L))
      }
    }
  }

  test(
    "a connection that has answered is there for who waits, and then for a call that its answer leads to"
  ) {
    TlsServer.serving()(answer) { port =>
      calling(trusting.copy(connectionsPerHost = 1, maxQueued = 1)) { client =>
        val s       = client.service(s"https://localhost:$port")
        val answers = client.await {
          val chained = s.get("/host").text.flatMap(_ => s.get("/host").text)
          chained.zip(s.get("/host").text)
        }
        assertEquals(answers, (s"localhost:$port", s"localhost:$port"))
        assertEquals(s.statistics.opened, 1L)
      }
    }
  }

  test("many at once") {
    TlsServer.serving()(answer) { port =>
      calling(trusting) { client =>
        val all =
          Vector.tabulate(200)(i => client.post(s"https://127.0.0.1:$port/echo").body(s"call $i").future)
        all.zipWithIndex.foreach { case (call, i) => assertEquals(await(call).text, s"call $i") }
      }
    }
  }

  test("who is not trusted is not asked, and the call says why") {
    TlsServer.serving()(answer) { port =>
      calling() { client =>
        val e = intercept[ClientError.CannotConnect](client.get(s"https://localhost:$port/host").await())
        assert(e.getMessage.contains("the certificate of localhost is not trusted"), e.getMessage)
      }
      calling(clientConfig.copy(tls = Tls.unchecked)) { client =>
        assertEquals(client.get(s"https://localhost:$port/host").await().text, s"localhost:$port")
      }
    }
    TlsServer.serving(Certificate.foreign)(answer) { port =>
      calling(clientConfig.copy(tls = Tls.trusting(Certificate.foreign.file))) { client =>
        val e = intercept[ClientError.CannotConnect](client.get(s"https://localhost:$port/host").await())
        assert(e.getMessage.contains("the certificate is not for localhost"), e.getMessage)
      }
    }
  }

  test("http where https is spoken, and https where http is") {
    serving(_ => needletail.http.Response.ok("plain")) { (server, _) =>
      calling(trusting) { client =>
        val e = intercept[ClientError.CannotConnect](
          client.get(server.url.replace("http://", "https://")).await()
        )
        assert(e.getMessage.contains("does not use TLS on that port"), e.getMessage)
      }
    }
    TlsServer.serving()(answer) { port =>
      calling(trusting)(client => intercept[ClientError](client.get(s"http://localhost:$port/host").await()))
    }
  }
}
