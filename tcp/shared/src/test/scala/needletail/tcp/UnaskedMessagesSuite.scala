package needletail.tcp

import needletail.testing.Suite

/** A message that arrives together with answers is not the answer to a request that these cause. */
class UnaskedMessagesSuite extends Suite with WithTestServer {

  /** What becomes of a request that is made when the first of two answers arrives, and of the second one. */
  private def afterTwo(
      first: String,
      rest: String,
      request: String
  ): (Either[Throwable, String], String, Int) =
    scripted((peer, line) =>
      if (line == "b") peer.send(first)
      else if (line == "end") peer.send(rest)
      else if (line != "a" && !line.startsWith("x")) peer.send(s"${line.length}\n")
    ) { (server, client) =>
      val results = await(client.run {
        val third = client.call("a").flatMap { a =>
          assertEquals(a, "a")
          client.call(request).map[Either[Throwable, String]](Right(_)).recover { case e => Left(e) }
        }
        third zip client.call("b")
      })
      assertEquals(await(client.future("after")), "5")
      eventually(isIdle(client), client.statistics)
      (results._1, results._2, server.opened.get)
    }

  private val small = "request"
  private val large = ("x" * 999 + "\n") * 70 + "end" // written at once, not at the end of the turn

  private def isLost(result: Either[Throwable, String]): Boolean = result match {
    case Left(e: TcpClientError.ConnectionLost) =>
      e.mayHaveArrived && e.getMessage.endsWith("the server sent an unsolicited message")
    case _ => false
  }

  test("nor is it the answer to a large one, which is written while the answers are read") {
    val (third, second, opened) = afterTwo("a\nb\nevil\n", "", large)
    assert(isLost(third), third)
    assertEquals((second, opened), ("b", 2))
  }

  test("nor if only its beginning arrives with them") {
    val (third, second, opened) = afterTwo("a\nb\nev", "il\n", large)
    assert(isLost(third), third)
    assertEquals((second, opened), ("b", 2))
  }

  test("a small one, which is not written yet, is sent on the next connection") {
    assertEquals(afterTwo("a\nb\nevil\n", "", small), (Right("7"), "b", 2))
  }

  test("a large request that answers have caused gets its own answer") {
    assertEquals(afterTwo("a\nb\n", "c\n", large), (Right("c"), "b", 1))
  }
}
