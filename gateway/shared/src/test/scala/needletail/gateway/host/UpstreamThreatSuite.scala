package needletail.gateway.host

import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._

import needletail.gateway.{FastCgiRecord, NameValues}
import needletail.http.ByteWriter
import needletail.server.{RawClient, RunningServer}

/** What FastCGI and SCGI servers, and those who ask for what they answer, do to who stands between them. */
class UpstreamThreatSuite extends Hosted {
  private val config = UpstreamConfig(host = hostConfig.copy(timeout = 700.millis))

  private def against(config: UpstreamConfig = config)(script: ScriptedServer.Conversation => Unit)(
      body: (RunningServer, ScriptedServer) => Unit
  ): Unit = {
    val scripted = new ScriptedServer(script)
    try serving(fastcgi("/app", scripted.address, config))(server => body(server, scripted))
    finally scripted.close()
  }

  test("a server that nobody can reach: 502") {
    val gone = new ScriptedServer(_ => ())
    val at   = gone.address
    gone.close()
    serving(fastcgi("/app", at, config) ++ scgi("/scgi", at, config)) { server =>
      assertEquals(get(server, "/app/x").status, 502)
      assertEquals(get(server, "/scgi/x").status, 502)
      assert(log.text.contains("GET /app/x: cannot connect to"), log.text)
    }
  }

  test("one that dies before its answer, in its head, or in the middle of it") {
    against() { c =>
      val asked = c.request()
      asked.parameters("PATH_INFO") match {
        case "/head"   => c.stdout(asked.id, "Content-Type: text/plain\r\n")
        case "/middle" => c.stdout(asked.id, "Content-Type: text/plain\r\n\r\nhalf")
        case _         => ()
      }
    } { (server, _) =>
      assertEquals(get(server, "/app/before").status, 502)
      assertEquals(get(server, "/app/head").status, 502)
      val half = get(server, "/app/middle")
      // what has come may be with the client already; then it can tell by the chunk that is missing
      assert(half.status == 502 || (half.raw.contains("half") && !half.raw.endsWith("0\r\n\r\n")), half.raw)
    }
  }

  test("one that never answers: 504, and its connection is closed") {
    against() { c =>
      c.request()
      c.untilClosed()
    } { (server, scripted) =>
      assertEquals(get(server, "/app/x").status, 504)
      eventually(scripted.ended.get == 1)
    }
  }

  test("one that does not speak FastCGI: 502") {
    val answers = List("HTTP/1.1 400 Bad Request\r\n\r\n", "\u0001\u0003\u0000\u0001\u0000\u0001\u0000\u0000x", "\u0001\u0003\u0000\u0009\u0000\u0008\u0000\u000012345678")
    for (answer <- answers)
      against() { c =>
        c.request()
        c.content()
        c.send(answer)
        c.untilClosed()
      }((server, _) => assertEquals(get(server, "/app/x").status, 502, answer))
  }

  test("one that is overloaded: 503; one that refuses the role: 502") {
    against() { c =>
      val asked = c.request()
      c.content()
      c.end(asked.id, if (asked.parameters("PATH_INFO") == "/full") FastCgiRecord.Overloaded else FastCgiRecord.UnknownRole)
    } { (server, _) =>
      assertEquals(get(server, "/app/full").status, 503)
      assertEquals(get(server, "/app/role").status, 502)
    }
  }

  test("an answer without a head, or none at all: 502") {
    against() { c =>
      val asked = c.request()
      c.content()
      if (asked.parameters("PATH_INFO") == "/body") c.stdout(asked.id, "no header at all\n\n")
      c.end(asked.id)
    } { (server, _) =>
      assertEquals(get(server, "/app/none").status, 502)
      assertEquals(get(server, "/app/body").status, 502)
    }
  }

  test("a kept connection that was closed meanwhile: safe requests without content are made again, others are not") {
    val served = new AtomicInteger
    against(config.copy(connections = 1)) { c =>
      val first = c.request()
      c.content()
      served.incrementAndGet()
      c.stdout(first.id, "Content-Type: text/plain\r\n\r\nok")
      c.end(first.id)
      c.request() // and is gone without an answer
      ()
    } { (server, scripted) =>
      // on one connection of ours, so that all come from one loop
      val client = new RawClient(server.port)
      def ask(method: String, more: String) = {
        client.send(s"$method /app/x HTTP/1.1\r\nHost: a\r\n$more").readUntil("\r\n\r\n")
      }
      assert(ask("GET", "\r\n").startsWith("HTTP/1.1 200"))
      client.readUntil("0\r\n\r\n")
      assert(ask("GET", "\r\n").startsWith("HTTP/1.1 200"))
      client.readUntil("0\r\n\r\n")
      assertEquals((served.get, scripted.accepted.get), (2, 2))
      assert(ask("POST", "Content-Length: 1\r\n\r\nx").startsWith("HTTP/1.1 502"))
      assertEquals(served.get, 2, "a request that may have been begun is not made twice")
      client.close()
    }
  }

  test("one that writes much to the error stream first, and one that answers before it reads") {
    against() { c =>
      val asked = c.request()
      for (i <- 1 to 1024) c.stderr(asked.id, s"$i " + "e" * 1000 + "\n")
      c.stdout(asked.id, "Content-Type: text/plain\r\n\r\n" + "y" * 3000000)
      val content = c.content()
      c.stdout(asked.id, content.length.toString)
      c.end(asked.id)
    } { (server, _) =>
      val answer = post(server, "/app/x", "x" * 3000000)
      assertEquals((answer.status, answer.body.length, answer.body.takeRight(7)), (200, 3000007, "3000000"))
      assert(log.text.contains("POST /app/x: 1 eee"))
      assert(log.text.contains("more on standard error is left out"))
    }
  }

  test("one that never reads the 10 MB that there are for it") {
    against() { c =>
      val asked = c.request()
      c.stdout(asked.id, "Content-Type: text/plain\r\n\r\ndeaf")
      c.end(asked.id)
      Thread.sleep(300)
    }((server, _) => assertEquals(post(server, "/app/x", "x" * 10000000).body, "deaf"))
  }

  test("a client that does not take its answer holds up its server, not our memory; when it goes, so does the request") {
    val sent = new AtomicInteger
    against(config.copy(host = hostConfig)) { c =>
      val asked = c.request()
      c.content()
      c.stdout(asked.id, "Content-Type: text/plain\r\n\r\n")
      while (sent.get < 200) {
        c.stdout(asked.id, "z" * 1000000)
        sent.incrementAndGet()
      }
    } { (server, scripted) =>
      val client = new RawClient(server.port).send("GET /app/x HTTP/1.1\r\nHost: a\r\n\r\n")
      client.readUntil("\r\n\r\n")
      var before = -1
      eventually {
        val isStill = before == sent.get
        before = sent.get
        Thread.sleep(300)
        isStill
      }
      assert(before < 40, s"$before MB were taken")
      client.close()
      eventually(scripted.ended.get == 1)
    }
  }

  test("connections are bounded, and so is the queue for them: then 503 with Retry-After") {
    against(config.copy(connections = 2, queue = 1, queueTime = 200.millis)) { c =>
      while (true) {
        val asked = c.request()
        c.content()
        Thread.sleep(500)
        c.stdout(asked.id, "Content-Type: text/plain\r\n\r\nok")
        c.end(asked.id)
      }
    } { (server, scripted) =>
      get(server, "/app/x") // all threads are there
      leavingNothing {
        val request = "GET /app/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        val clients = List.fill(4) {
          val client = new RawClient(server.port).send(request)
          Thread.sleep(20)
          client
        }
        val answers = clients.map(client => Answer(client.readAll()))
        assertEquals(answers.map(_.status), List(200, 200, 503, 503))
        assert(answers.drop(2).forall(_.header("Retry-After").isDefined))
        assert(scripted.accepted.get <= 3, scripted.accepted.get)
        clients.foreach(_.close())
        assertEquals(get(server, "/app/x").status, 200)
        scripted.close()
      }
    }
  }

  test("requests share a connection only where the server says that they can") {
    for (says <- List("0", "1")) {
      val most = new AtomicInteger
      against(config.copy(connections = 4, multiplex = 4)) { c =>
        val (kind, _, _) = c.record()
        assertEquals(kind, if (c.index == 1) FastCgiRecord.GetValues else kind)
        if (kind == FastCgiRecord.GetValues) {
          val w = new ByteWriter(64)
          NameValues.write(w, FastCgiRecord.MultiplexesConn, says)
          val head = new ByteWriter(64)
          needletail.gateway.FastCgiWriter.management(head, FastCgiRecord.GetValuesResult, w)
          c.send(java.util.Arrays.copyOf(head.bytes, head.length))
        }
        c.untilClosed()
      } { (server, scripted) =>
        val clients = new java.util.ArrayList[RawClient]
        def more() = { clients.add(new RawClient(server.port).send("GET /app/x HTTP/1.1\r\nHost: a\r\n\r\n")); Thread.sleep(60) }
        (1 to 5).foreach(_ => more())
        most.set(scripted.accepted.get)
        clients.forEach(_.close())
      }
      // loops have connections of their own
      if (says == "1") assert(most.get <= 2, s"${most.get} connections") else assertEquals(most.get, 4)
    }
  }

  test("SCGI: a server that dies or never answers") {
    val scripted = new ScriptedServer({ c =>
      if (c.index == 2) c.send("Content-Type: text/plain\r\n")
      if (c.index == 3) c.untilClosed()
    })
    try
      serving(scgi("/app", scripted.address, config)) { server =>
        assertEquals(get(server, "/app/x").status, 502)
        assertEquals(get(server, "/app/x").status, 502)
        assertEquals(get(server, "/app/x").status, 504)
        eventually(scripted.ended.get == 3)
      }
    finally scripted.close()
  }

  test("httpoxy and forged variables do not get through here either") {
    against() { c =>
      val asked = c.request()
      c.content()
      c.stdout(asked.id, "Content-Type: text/plain\r\n\r\n" + asked.parameters.toList.sorted.map { case (n, v) => s"$n=$v" }.mkString("\n"))
      c.end(asked.id)
    } { (server, _) =>
      val answer = get(server, "/app/a%20b", "Proxy: evil", "X_A: evil", "X-A: good", "HTTP_X: evil")
      assert(!answer.body.contains("evil"), answer.body)
      assertEquals(answer.variable("HTTP_X_A"), Some("good"))
      assertEquals((answer.variable("SCRIPT_NAME"), answer.variable("PATH_INFO")), (Some("/app"), Some("/a b")))
    }
  }
}
