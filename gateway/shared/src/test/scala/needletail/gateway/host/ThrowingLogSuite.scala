package needletail.gateway.host

import java.util.concurrent.CountDownLatch

import needletail.gateway.format.fastcgi.FastCgiRecord
import needletail.gateway.host.incoming.Mount
import needletail.server.RawClient

/** A log of hosted programs that throws whenever it is called: it ends nothing, and keeps nothing. */
class ThrowingLogSuite extends Hosted {
  private val full = new ThrowingLines

  override def hostConfig: ProgramHostConfig = super.hostConfig.copy(log = full)

  test("CGI: it keeps no place") {
    sh("unended", "printf 'Content-Type: text/plain\\n\\nok'", "printf oops >&2")
    sh("lines", "printf 'Content-Type: text/plain\\n\\nok'", "echo one >&2", "echo two >&2")
    sh("bad", "echo nonsense")
    sh("silent", "echo oops >&2")
    write("broken", "#!/nonexistent\n")
    val expected = List("unended" -> 200, "lines" -> 200, "bad" -> 502, "silent" -> 502, "broken" -> 502)
    val host     =
      new CgiHost(new Mount("/cgi-bin"), directory.toString, cgiConfig.copy(processes = 1, host = hostConfig))
    serving(host.routes) { server =>
      for (_ <- 1 to 2; (name, status) <- expected) {
        assertEquals(get(server, s"/cgi-bin/$name").status, status, name)
        eventually(host.slots.inUse == 0, name)
      }
    }
    for (line <- List("unended: oops", "lines: one", "lines: two", "silent: oops", "/broken: "))
      assert(full.text.contains(line), full.text)
  }

  test("FastCGI: what it throws ends no other request of the connection") {
    val second   = new CountDownLatch(1)
    val scripted = new ScriptedServer({ c =>
      def answer(id: Int): Unit = {
        c.stdout(id, "Content-Type: text/plain\r\n\r\nok")
        c.end(id)
      }
      var asked = List.empty[Int]
      while (true) {
        val (kind, of, content) = c.record()
        kind match {
          case FastCgiRecord.GetValues                => c.multiplexes()
          case FastCgiRecord.Stdin if content.isEmpty =>
            asked = of :: asked
            if (asked.length == 1) answer(of) // alone, as its client does not know yet that it may send more
            else if (asked.length == 2) second.countDown()
            else {
              c.stderr(asked(1), "oops\n")
              asked.take(2).foreach(answer)
            }
          case _ => ()
        }
      }
    })
    val shared = UpstreamConfig(connections = 1, multiplex = 2, host = hostConfig)
    try
      serving(fastcgi("/app", scripted.address, shared), serverConfig.copy(loops = 1)) { server =>
        def send() = new RawClient(server.port).send(
          "POST /app/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"
        )
        assertEquals(post(server, "/app/first", "x").status, 200)
        val first = send()
        second.await()
        val last = send()
        assertEquals(List(first, last).map(client => Answer(client.readAll()).status), List(200, 200))
        assertEquals(scripted.accepted.get, 1)
        assert(full.text.contains("oops"), full.text)
      }
    finally scripted.close()
  }
}
