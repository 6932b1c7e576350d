package needletail.gateway.host

import scala.concurrent.duration._

import needletail.server.{RawClient, RunningServer}

/** Clients that send the content of their requests slowly: they keep no place from others. */
class SlowRequestSuite extends AgainstScripted {
  sh("ok", "printf 'Content-Type: text/plain\\n\\nok'")
  sh("counts", "printf 'Content-Type: text/plain\\n\\n'", "wc -c | tr -d ' \\n'")

  private def head(path: String, length: Int, more: String = "") =
    s"POST $path HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: $length\r\n$more\r\n"

  private def connect(server: RunningServer): RawClient = {
    val client = new RawClient(server.port)
    client.socket.setSoTimeout(20000)
    client
  }

  // for which nobody waits, if a place is free
  private val single = cgiConfig.copy(processes = 1, queueTime = 8.seconds)

  /** Servers that answer with the length of the content. */
  private def counting(c: ScriptedServer.Conversation): Unit = while (true) {
    val asked = c.request()
    c.stdout(asked.id, s"Content-Type: text/plain\r\n\r\n${c.content().length}")
    c.end(asked.id)
  }

  test("CGI: a program starts when the content of its request is there") {
    hosting(single) { server =>
      for (size <- List(10, 300000)) {
        val slow = connect(server).send(head("/cgi-bin/counts", size) + "x" * (size - 1))
        assertEquals(get(server, "/cgi-bin/ok").status, 200)
        assertEquals(Answer(slow.send("x").readAll()).body, size.toString)
        slow.close()
      }
    }
  }

  test("FastCGI: a worker's only connection is taken when the content of the request is there") {
    against(config.copy(connections = 1, queueTime = 8.seconds))(counting) { (server, _) =>
      val slow = connect(server).send(head("/app/x", 10) + "x")
      assertEquals(post(server, "/app/x", "abc").body, "3")
      assertEquals(Answer(slow.send("x" * 9).readAll()).body, "10")
      slow.close()
    }
  }

  test(
    "with `bufferRequests = false` a program gets content as it comes, and answers before all of it is there"
  ) {
    val through = config.copy(connections = 1, host = hostConfig.copy(bufferRequests = false))
    against(through) { c =>
      val asked = c.request()
      val first = new String(c.record()._3)
      c.stdout(asked.id, s"Content-Type: text/plain\r\n\r\n$first")
      c.stdout(asked.id, c.content())
      c.end(asked.id)
    } { (server, _) =>
      val slow = connect(server).send(head("/app/x", 6) + "abc")
      assert(slow.readUntil("abc").contains("200"))
      assert(slow.send("def").readAll().contains("def"))
      slow.close()
    }
  }

  test("content is asked for only when the request has not been refused") {
    hosting(single) { server =>
      val refused = connect(server).send(head("/cgi-bin/gone", 10, "Expect: 100-continue\r\n"))
      val answer  = refused.readAll()
      assertEquals(Answer(answer).status, 404, answer)
      refused.close()
      val client = connect(server).send(head("/cgi-bin/counts", 3, "Expect: 100-continue\r\n"))
      assert(client.readUntil("\r\n\r\n").startsWith("HTTP/1.1 100 Continue"))
      assertEquals(Answer(client.send("abc").readAll()).body, "3")
      client.close()
    }
  }

  test(
    "what exceeds the bound of what is collected is passed on as it arrives, and nothing is left in files"
  ) {
    val host = hostConfig.copy(maxSpool = 50000, maxSpoolTotal = 50000, spoolMemory = 0)
    hosting(single.copy(host = host)) { server =>
      def files = descriptors.count(_.contains(".body"))
      val slow  = connect(server).send(head("/cgi-bin/counts", 30000) + "x" * 29999)
      eventually(files == 1)
      for (size <- Seq(30000, 60000)) // beside the other, and by itself
        assertEquals(post(server, "/cgi-bin/counts", "x" * size).body, size.toString)
      assertEquals(Answer(slow.send("x").readAll()).body, "30000")
      slow.close()
      eventually(files == 0, descriptors.filter(_.contains(".body")))
    }
  }
}
