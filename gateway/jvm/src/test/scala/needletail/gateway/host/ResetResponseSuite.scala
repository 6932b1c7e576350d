package needletail.gateway.host

/**
 * Responses that only the end of the connection would end, whose SCGI server resets it. Natively, closing a
 * `java.net.Socket` ends it first.
 */
class ResetResponseSuite extends AgainstScripted {
  private def isCutOff(answer: Answer): Boolean =
    answer.status == 502 || answer.status == 200 && !answer.raw.endsWith("0\r\n\r\n")

  private val text = "0123456789" * 3000 // less than the kernel takes of one that is not read

  private def send(c: ScriptedServer.Conversation): Unit = {
    c.send("Content-Type: text/plain\r\n\r\n" + text)
    c.reset()
  }

  test("one is cut off") {
    againstScgi { c =>
      c.in.read()
      send(c)
    }(server => assert(isCutOff(get(server, "/app/x"))))
  }

  test("so is one whose server has not read all of the request's content") {
    againstScgi { c =>
      c.in.readFully(new Array[Byte](1000 * 1000))
      send(c)
    } { server =>
      // the reset is noticed by reading or by writing, whichever comes first
      for (_ <- 1 to 10) assert(isCutOff(post(server, "/app/x", "x" * 3000000)))
    }
  }
}
