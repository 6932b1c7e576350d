package needletail.gateway.host

import needletail.server.RawClient

/** A FastCGI server that answers once more than it was asked: what is nobody's answer goes to nobody. */
class SecondAnswerSuite extends AgainstScripted {
  test("one that answers twice: the second answer is no other request's") {
    against(config.copy(connections = 1)) { c =>
      while (true) {
        val asked = c.request()
        c.content()
        def answer(text: String) = {
          c.stdout(asked.id, s"Content-Type: text/plain\r\n\r\n$text"); c.end(asked.id)
        }
        answer(s"for ${asked.parameters("PATH_INFO")}")
        asked.parameters("QUERY_STRING") match {
          case "soon"  => answer("EVIL")
          case "later" => c.request(); answer("EVIL") // when the next request is there
          case _       => ()
        }
      }
    } { (server, _) =>
      val client = new RawClient(server.port) // one connection of ours, so that all come from one loop
      def ask(target: String): String = {
        client.send(s"GET /app$target HTTP/1.1\r\nHost: a\r\n\r\n").readUntil("0\r\n\r\n")
      }
      for (n <- 1 to 10; when <- Seq("soon", "later")) {
        assert(ask(s"/a$n?$when").contains(s"for /a$n"))
        val next = ask(s"/b$n")
        assert(next.contains(s"for /b$n"), next)
      }
      client.close()
    }
  }
}
