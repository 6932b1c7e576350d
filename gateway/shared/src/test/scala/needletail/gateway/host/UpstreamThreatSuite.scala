package needletail.gateway.host

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import scala.concurrent.duration._

import needletail.gateway.format.fastcgi.{FastCgiRecord, FastCgiWriter, NameValues}
import needletail.gateway.host.incoming.Mount
import needletail.http.text.ByteWriter
import needletail.io.Address
import needletail.server.RawClient
import needletail.testing.Pause

/** What FastCGI and SCGI servers, and those who ask for what they answer, do to who stands between them. */
class UpstreamThreatSuite extends AgainstScripted {
  private val impatient = config.copy(host = hostConfig.copy(timeout = 1500.millis))

  test("a server that cannot be reached: 502") {
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
    against(impatient) { c =>
      c.request()
      c.untilClosed()
    } { (server, scripted) =>
      assertEquals(get(server, "/app/x").status, 504)
      eventually(scripted.ended.get == 1)
    }
  }

  test("one that does not speak FastCGI: 502") {
    val answers = List(
      "HTTP/1.1 400 Bad Request\r\n\r\n",
      "\u0001\u0003\u0000\u0001\u0000\u0001\u0000\u0000x",
      "\u0001\u0003\u0000\u0009\u0000\u0008\u0000\u000012345678"
    )
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
      c.end(
        asked.id,
        if (asked.parameters("PATH_INFO") == "/full") FastCgiRecord.Overloaded else FastCgiRecord.UnknownRole
      )
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

  test(
    "a kept connection that was closed meanwhile: safe requests without content are made again, others are not"
  ) {
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
      val client                            = new RawClient(server.port)
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

  test("a request that ends while it is about to be repeated is not sent, and its place is free") {
    val ready    = new AtomicBoolean(true)
    val scripted = new ScriptedServer({ c =>
      c.request()
      ready.set(false) // and is gone without an answer
    })
    val upstream = new Upstream {
      private[host] val addresses: Seq[Address]                = Seq(scripted.address)
      private[host] def isOurs: Boolean                        = true
      private[host] def isReady(index: Int): Boolean           = ready.get
      private[host] def worked(index: Int): Unit               = ()
      private[host] def stuck(index: Int, process: Long): Unit = ()
    }
    val brief = config.copy(connectTimeout = 10.seconds, host = hostConfig.copy(maxTime = 500.millis))
    val host  = new FastCgiHost(new Mount("/app"), upstream, brief)
    try
      serving(host.routes) { server =>
        assertEquals(get(server, "/app/x").status, 504)
        ready.set(true)
        Pause(300.millis) // it would be repeated every 20 ms
        assertEquals((scripted.accepted.get, host.endpoints.head.inFlight.get, host.slots.inUse), (1, 0, 0))
      }
    finally scripted.close()
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
      assert(log.text.contains("further output on standard error is omitted"))
    }
  }

  test("one that never reads the 10 MB that there are for it") {
    val answered = new CountDownLatch(1)
    against() { c =>
      val asked = c.request()
      c.stdout(asked.id, "Content-Type: text/plain\r\n\r\ndeaf")
      c.end(asked.id)
      answered.await()
    } { (server, _) =>
      assertEquals(post(server, "/app/x", "x" * 10000000).body, "deaf")
      answered.countDown()
    }
  }

  test(
    "a client that does not take its answer holds up its server, not our memory; when it goes, so does the request"
  ) {
    val sent = new AtomicInteger
    against() { c =>
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
      val before = untilStill(sent.get, 300.millis)
      assert(before < 40, s"$before MB were taken")
      client.close()
      eventually(scripted.ended.get == 1)
    }
  }

  test("connections are bounded, and so is the queue for them: then 503 with Retry-After") {
    val gate     = new CountDownLatch(1)
    val scripted = new ScriptedServer({ c =>
      while (true) {
        val asked = c.request()
        c.content()
        gate.await()
        c.stdout(asked.id, "Content-Type: text/plain\r\n\r\nok")
        c.end(asked.id)
      }
    })
    val bounded = config.copy(connections = 2, queue = 1, queueTime = 3.seconds)
    val host    = new FastCgiHost(new Mount("/app"), scripted.address, bounded)
    try
      serving(host.routes) { server =>
        def client() =
          new RawClient(server.port).send("GET /app/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        val running = List.fill(2)(client())
        eventually(host.slots.inUse == 2 && scripted.accepted.get == 2)
        val waiting = client()
        eventually(host.slots.waiting == 1)
        val fourth = get(server, "/app/x")
        val third  = Answer(waiting.readAll())
        for (refused <- List(fourth, third))
          assertEquals((refused.status, refused.header("Retry-After").isDefined), (503, true), refused.raw)
        gate.countDown()
        assertEquals(running.map(c => Answer(c.readAll()).status), List(200, 200))
        assertEquals(get(server, "/app/x").status, 200)
        assert(scripted.accepted.get <= 3, scripted.accepted.get) // from one loop to the other
        eventually(host.slots.inUse == 0)
        (waiting :: running).foreach(_.close())
      }
    finally scripted.close()
  }

  test("a client that goes away while its request waits leaves nothing of the content that was collected") {
    val gate     = new CountDownLatch(1)
    val scripted = new ScriptedServer({ c =>
      c.request()
      gate.await()
    })
    val up = config.copy(
      connections = 1,
      queue = 1,
      queueTime = 20.seconds,
      host = hostConfig.copy(spoolMemory = 1000)
    )
    val host                   = new FastCgiHost(new Mount("/app"), scripted.address, up)
    def collected: Seq[String] = descriptors.filter(_.contains(".body"))
    try serving(host.routes) { server =>
        val first = new RawClient(server.port).send("GET /app/x HTTP/1.1\r\nHost: a\r\n\r\n")
        eventually(host.slots.inUse == 1)
        val second = new RawClient(server.port).send(
          s"POST /app/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nc350\r\n${"x" * 50000}\r\n0\r\n\r\n"
        )
        eventually(host.slots.waiting == 1)
        assertEquals(collected.length, 1)
        second.close()
        eventually(host.slots.waiting == 0 && collected.isEmpty, collected)
        first.close()
      }
    finally {
      gate.countDown()
      scripted.close()
    }
  }

  test("requests share a connection only where the server says that they can") {
    for (says <- List("0", "1")) {
      val scripted = new ScriptedServer({ c =>
        val (kind, _, _) = c.record()
        if (kind == FastCgiRecord.GetValues) {
          val w = new ByteWriter(64)
          NameValues.write(w, FastCgiRecord.MultiplexesConn, says)
          val head = new ByteWriter(64)
          FastCgiWriter.management(head, FastCgiRecord.GetValuesResult, w)
          c.send(java.util.Arrays.copyOf(head.bytes, head.length))
        }
        c.untilClosed()
      })
      val host =
        new FastCgiHost(new Mount("/app"), scripted.address, config.copy(connections = 4, multiplex = 4))
      try
        serving(host.routes) { server =>
          def client() = new RawClient(server.port).send("GET /app/x HTTP/1.1\r\nHost: a\r\n\r\n")
          val first    = client()
          eventually(!host.endpoints.head.isAsked)
          val more = List.fill(4)(client())
          eventually(host.slots.inUse + host.slots.waiting == 5)
          // without, the fifth waits; else they share, though loops have connections of their own
          if (says == "0") assertEquals(host.slots.waiting, 1) else assertEquals(host.slots.inUse, 5)
          eventually(scripted.accepted.get == (if (says == "0") 4 else 2), scripted.accepted.get)
          (first :: more).foreach(_.close())
        }
      finally scripted.close()
    }
  }

  test("a shared connection is closed when all that is left on it was given up, whatever the server does") {
    for (answersOne <- List(false, true)) {
      val begun    = new AtomicInteger
      val left     = new CountDownLatch(1)
      val scripted = new ScriptedServer({ c =>
        if (c.record()._1 == FastCgiRecord.GetValues) {
          val w = new ByteWriter(64)
          NameValues.write(w, FastCgiRecord.MultiplexesConn, "1")
          val head = new ByteWriter(64)
          FastCgiWriter.management(head, FastCgiRecord.GetValuesResult, w)
          c.send(java.util.Arrays.copyOf(head.bytes, head.length))
        }
        c.request()
        begun.incrementAndGet()
        val second = c.request()
        begun.incrementAndGet()
        left.await()
        if (answersOne) {
          c.stdout(second.id, "Content-Type: text/plain\r\n\r\nok")
          c.end(second.id)
        }
        c.untilClosed() // the end of the first never comes
      })
      val host =
        new FastCgiHost(new Mount("/app"), scripted.address, config.copy(connections = 1, multiplex = 4))
      try
        serving(host.routes, serverConfig.copy(loops = 1)) { server =>
          def client() = new RawClient(server.port).send("GET /app/x HTTP/1.1\r\nHost: a\r\n\r\n")
          val first    = client()
          eventually(begun.get == 1 && !host.endpoints.head.isAsked)
          val second = client()
          eventually(begun.get == 2)
          first.close()
          eventually(host.slots.inUse == 1)
          left.countDown()
          if (answersOne) assert(second.readUntil("0\r\n\r\n").contains("ok"))
          second.close()
          eventually(scripted.ended.get == 1)
          assertEquals((scripted.accepted.get, host.slots.inUse), (1, 0))
        }
      finally scripted.close()
    }
  }

  test("SCGI: a server that dies or never answers") {
    val scripted = new ScriptedServer({ c =>
      if (c.index == 2) c.send("Content-Type: text/plain\r\n")
      if (c.index == 3) c.untilClosed()
    })
    try
      serving(scgi("/app", scripted.address, impatient)) { server =>
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
      c.stdout(
        asked.id,
        "Content-Type: text/plain\r\n\r\n" + asked.parameters.toList.sorted.map { case (n, v) =>
          s"$n=$v"
        }.mkString("\n")
      )
      c.end(asked.id)
    } { (server, _) =>
      val answer = get(server, "/app/a%20b", "Proxy: evil", "X_A: evil", "X-A: good", "HTTP_X: evil")
      assert(!answer.body.contains("evil"), answer.body)
      assertEquals(answer.variable("HTTP_X_A"), Some("good"))
      assertEquals(
        (answer.variable("SCRIPT_NAME"), answer.variable("PATH_INFO")),
        (Some("/app"), Some("/a b"))
      )
    }
  }
}
