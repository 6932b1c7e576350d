package needletail.gateway.host

/** FastCGI and SCGI servers that reset the connection right after their response. */
class ResetBehindResponseSuite extends AgainstScripted {
  private val text = "0123456789" * 3000 // less than the kernel takes of one that is not read

  private def head(length: Int): String = s"Content-Type: text/plain\r\nContent-Length: $length\r\n\r\n"

  /** Reads a part of a request with much content: the rest is on its way or waits for the server to read it. */
  private def readSome(c: ScriptedServer.Conversation): Unit = c.in.readFully(new Array[Byte](Part))

  private final val Part  = 1000 * 1000
  private val content     = "x" * (3 * Part)
  private final val Times = 10 // the reset is noticed by reading or by writing, whichever comes first

  test("SCGI: a whole response is passed on") {
    againstScgi { c =>
      c.in.read()
      c.send(head(text.length) + text)
      c.reset()
    } { server =>
      val answer = get(server, "/app/x")
      assertEquals((answer.status, answer.body), (200, text))
    }
  }

  test("SCGI: a whole response is passed on whose server has not read all of the request's content") {
    againstScgi { c =>
      readSome(c)
      c.send(head(text.length) + text)
      c.reset()
    } { server =>
      for (_ <- 1 to Times) {
        val answer = post(server, "/app/x", content)
        assertEquals((answer.status, answer.body), (200, text))
      }
    }
  }

  test("FastCGI: a whole response is passed on whose server has not read all of the request's content") {
    against() { c =>
      val asked = c.request()
      readSome(c)
      c.stdout(asked.id, head(text.length) + text)
      c.end(asked.id)
      c.reset()
    } { (server, _) =>
      for (_ <- 1 to Times) {
        val answer = post(server, "/app/x", content)
        assertEquals((answer.status, answer.body), (200, text))
      }
    }
  }
}
