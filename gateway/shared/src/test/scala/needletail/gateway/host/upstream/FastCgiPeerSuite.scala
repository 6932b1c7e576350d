package needletail.gateway.host.upstream

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import needletail.gateway.format.fastcgi.FastCgiRecord
import needletail.gateway.host.{fastcgi, Answer, Hosted, ScriptedServer, UpstreamConfig}
import needletail.server.RawClient

/** A connection to a FastCGI server at the moment when a request on it ends and the next one begins. */
class FastCgiPeerSuite extends Hosted {
  private val one     = UpstreamConfig(host = hostConfig, connections = 1)
  private val oneLoop = serverConfig.copy(loops = 1)

  test("the target of a local redirect is asked for on the same connection") {
    for ((mount, path) <- List("/app" -> "/app", "/caf\u00e9" -> "/caf%C3%A9")) {
      val scripted = new ScriptedServer({ c =>
        while (true) {
          val asked = c.request()
          c.content()
          val isLast = asked.parameters("PATH_INFO") == "/last"
          c.stdout(
            asked.id,
            if (isLast) "Content-Type: text/plain\r\n\r\nok" else s"Location: $path/last\r\n\r\n"
          )
          c.end(asked.id)
        }
      })
      try
        serving(fastcgi(mount, scripted.address, one), oneLoop) { server =>
          for (_ <- 1 to 3) {
            val answer = get(server, s"$path/first")
            assertEquals((answer.status, answer.body), (200, "ok"), log.text)
          }
          assertEquals(scripted.accepted.get, 1)
        }
      finally scripted.close()
    }
  }

  test("what ends the content of a redirected request is not taken for the next one's") {
    val seen     = new ConcurrentLinkedQueue[String]
    val asking   = new AtomicInteger
    val scripted = new ScriptedServer({ c =>
      def answer(id: Int, head: String): Unit = {
        c.stdout(id, s"$head\r\n\r\n")
        c.end(id)
      }
      var id   = 0
      var path = ""
      while (true) {
        val (kind, of, content) = c.record()
        kind match {
          case FastCgiRecord.GetValues =>
            c.multiplexes()
            asking.incrementAndGet()
          case FastCgiRecord.BeginRequest =>
            id = of
            seen.add(s"${c.index} begins")
          case FastCgiRecord.Params if content.nonEmpty =>
            path = List("first", "last").find(new String(content, "ISO-8859-1").contains(_)).get
          case FastCgiRecord.Params => if (path == "first") answer(id, "Location: /app/last")
          case FastCgiRecord.Stdin if content.isEmpty =>
            seen.add(s"${c.index} has its content")
            if (path == "last") answer(id, "Content-Type: text/plain")
          case _ => ()
        }
      }
    })
    val through = one.copy(multiplex = 2, host = hostConfig.copy(bufferRequests = false))
    try {
      serving(fastcgi("/app", scripted.address, through), oneLoop) { server =>
        assertEquals(get(server, "/app/last").status, 200)
        assertEquals(asking.get, 1)
        seen.clear()
        // the content does not come
        val client = new RawClient(server.port).send(
          "POST /app/first HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n"
        )
        assertEquals(Answer(client.readUntil("\r\n\r\n")).status, 200, log.text)
        client.close()
      }
      eventually(scripted.ended.get == scripted.accepted.get)
      assertEquals(seen.toArray.toList, List("1 begins", "2 begins", "2 has its content"))
    } finally scripted.close()
  }

  test("requests that follow one another have different ids, also where many are in flight") {
    val ids      = new ConcurrentLinkedQueue[Int]
    val most     = 9
    val scripted = new ScriptedServer({ c =>
      def answer(id: Int): Unit = {
        c.stdout(id, "Content-Type: text/plain\r\n\r\nok")
        c.end(id)
      }
      while (true) {
        val (kind, of, content) = c.record()
        kind match {
          case FastCgiRecord.GetValues                => c.multiplexes()
          case FastCgiRecord.Stdin if content.isEmpty =>
            ids.add(of)
            if (ids.size == 1 || ids.size == 1 + most) answer(of)
            else if (ids.size == 2 + most) (of +: ids.asScala.toList.slice(1, most)).foreach(answer)
          case _ => ()
        }
      }
    })
    try
      serving(fastcgi("/app", scripted.address, one.copy(multiplex = most)), oneLoop) { server =>
        def ask() = new RawClient(server.port).send("GET /app/x HTTP/1.1\r\nHost: a\r\n\r\n")
        assertEquals(get(server, "/app/first").status, 200)
        val asked = (1 to most).map { n =>
          val client = ask()
          eventually(ids.size == 1 + n)
          client
        }
        asked.last.readUntil("ok")
        val next = ask()
        next.readUntil("ok")
        assertEquals(scripted.accepted.get, 1)
        val last = ids.asScala.toList.takeRight(2)
        assertNotEquals(last(0), last(1))
        (next +: asked).foreach(_.close())
      }
    finally scripted.close()
  }
}
