package needletail.client.connection

import scala.concurrent.duration._
import scala.reflect.ClassTag

import needletail.async.Async
import needletail.client.{Client, Misbehaving, Peer, Scripted}
import needletail.client.config.ClientConfig
import needletail.client.error.ClientError
import needletail.http.ByteStream
import needletail.io.{Tls, TlsServerConfig}
import needletail.testing.{Location, Pause, Suite, TemporaryDirectories}

/** Servers that break off, break the rules or say nothing: each a typed error that names the host, and no leak. */
class MisbehavingServerSuite extends Suite with Misbehaving with TemporaryDirectories {

  /** The call fails so, with such a message, and its connection is closed. */
  private def failsWith[E <: ClientError](
      script: Peer => Unit,
      message: String,
      config: ClientConfig = strict
  )(implicit expected: ClassTag[E], at: Location): Unit =
    scripted((peer, _) => script(peer), config) { (server, client) =>
      val begun = System.nanoTime()
      val e     = intercept[E](client.get(s"${server.url}/x").await())
      assert(
        e.getMessage.startsWith(s"GET ${server.url}/x: ") && e.getMessage.contains(message),
        e.getMessage
      )
      assert(System.nanoTime() - begun < 20.seconds.toNanos, "at once, or when its timeout says so")
      assertEquals(e.host, server.url)
      eventually(server.closed.get == server.opened.get, "the connection is closed")
      eventually(client.statistics.head.open == 0, client.statistics)
      assertEquals(client.statistics.head.inFlight, 0)
    }

  private def answers(head: String, more: String = ""): Peer => Unit =
    _.send(head.replace("\n", "\r\n") + "\r\n\r\n" + more)

  test("two Content-Lengths, equal or not") {
    val two = "must not have two Content-Length"
    failsWith[ClientError.Malformed](
      answers("HTTP/1.1 200 OK\nContent-Length: 2\nContent-Length: 3", "abc"),
      two
    )
    failsWith[ClientError.Malformed](
      answers("HTTP/1.1 200 OK\nContent-Length: 2\nContent-Length: 2", "ab"),
      two
    )
    failsWith[ClientError.Malformed](answers("HTTP/1.1 200 OK\nContent-Length: 2, 2", "ab"), "one number")
  }

  test("Content-Length beside Transfer-Encoding, codings we can't take off, a coding in HTTP/1.0") {
    failsWith[ClientError.Malformed](
      answers("HTTP/1.1 200 OK\nContent-Length: 2\nTransfer-Encoding: chunked", "0\r\n\r\n"),
      "both"
    )
    failsWith[ClientError.Malformed](answers("HTTP/1.1 200 OK\nTransfer-Encoding: gzip", "x"), "chunked")
    failsWith[ClientError.Malformed](answers("HTTP/1.0 200 OK\nTransfer-Encoding: chunked", "x"), "HTTP/1.0")
  }

  test("no HTTP at all, refused at the first wrong byte") {
    failsWith[ClientError.Malformed](_.send("SSH-2.0-OpenSSH_9.2"), "must begin with HTTP/1.1")
    failsWith[ClientError.Malformed](_.send("HTTP/1.1 2x0 OK\r\n\r\n"), "must begin with HTTP/1.1")
    failsWith[ClientError.Malformed](_.send("HTTP/2.0 200 OK\r\n\r\n"), "must begin with HTTP/1.1")
    failsWith[ClientError.Malformed](_.send("\r\nHTTP/1.1 200 OK\r\n\r\n"), "must begin with HTTP/1.1")
    failsWith[ClientError.Malformed](_.send("HTTP/1.1 200 OK\n\n"), "CRLF")
  }

  test("fields that two readers could take apart differently") {
    failsWith[ClientError.Malformed](answers("HTTP/1.1 200 OK\nA : b"), "white space")
    failsWith[ClientError.Malformed](answers("HTTP/1.1 200 OK\nA: b\n c: d"), "white space")
    failsWith[ClientError.Malformed](_.send("HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n"), "bare LF")
  }

  test("cut off before the answer, in its head, its body, a chunk, between chunks") {
    failsWith[ClientError.ConnectionLost](_.close(), "ended before the response")
    failsWith[ClientError.ConnectionLost](_.reset(), "ended before the response")
    def cut(text: String): Peer => Unit = { peer =>
      peer.send(text)
      peer.close()
    }
    failsWith[ClientError.ConnectionLost](cut("HTTP/1.1 200 OK\r\nContent-Le"), "inside the response's head")
    failsWith[ClientError.ConnectionLost](
      cut("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
      "inside the response's body, 7 bytes before its end"
    )
    val chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    failsWith[ClientError.ConnectionLost](cut(chunked + "a\r\nabc"), "inside a chunk")
    failsWith[ClientError.ConnectionLost](cut(chunked + "3\r\nabc\r\n"), "before its last chunk")
    failsWith[ClientError.ConnectionLost](cut(chunked + "3\r\nabc\r\n0\r\n"), "before its last chunk")
  }

  test("a body that only the connection's end ends: the end is one, a reset is none") {
    scripted((peer, _) => { peer.send("HTTP/1.0 200 OK\r\n\r\nall of it"); peer.close() }) {
      (server, client) =>
        assertEquals(client.get(server.url).await().text, "all of it")
        eventually(server.closed.get == 1 && client.statistics.head.open == 0)
    }
    failsWith[ClientError.ConnectionLost](
      peer => {
        peer.send("HTTP/1.1 200 OK\r\n\r\npart of it")
        peer.later(50)(peer.reset())
      },
      "inside the response's body"
    )
  }

  test("malformed chunks") {
    val chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    failsWith[ClientError.Malformed](_.send(chunked + "xyz\r\n"), "hexadecimal")
    failsWith[ClientError.Malformed](_.send(chunked + "3\r\nabcd\r\n"), "CRLF")
    failsWith[ClientError.Malformed](_.send(chunked + "fffffffffffffffff\r\n"), "too large")
  }

  test("too large: head, number of fields, body announced, body in chunks, body without an end") {
    val small = strict.copy(maxHead = 1024, maxHeaders = 10, maxBodyInMemory = 1000, maxUnreadBody = 0)
    failsWith[ClientError.TooLarge](
      answers("HTTP/1.1 200 OK\nX: " + "x" * 2000),
      "longer than 1024",
      config = small
    )
    failsWith[ClientError.TooLarge](
      answers("HTTP/1.1 200 OK" + "\nX: y" * 11),
      "more than 10 header",
      config = small
    )
    failsWith[ClientError.TooLarge](
      answers("HTTP/1.1 200 OK\nContent-Length: 1001", "x"),
      "larger than 1000",
      config = small
    )
    failsWith[ClientError.TooLarge](
      answers("HTTP/1.1 200 OK\nTransfer-Encoding: chunked", "3e9\r\n" + "x" * 1001),
      "larger than 1000",
      config = small
    )
    failsWith[ClientError.TooLarge](
      answers("HTTP/1.1 200 OK", "x" * 1001),
      "larger than 1000",
      config = small
    )
  }

  test("never an answer, half an answer, an answer that drips: the call's time ends it") {
    val behaviours = Map[String, (Peer => Unit, String)](
      "/never" -> ((_ => (), "within 3000 ms: no part of it had arrived")),
      "/half"  -> ((_.send("HTTP/1.1 200"), "within 3000 ms: its head was incomplete")),
      "/body"  -> ((answers("HTTP/1.1 200 OK\nContent-Length: 3", "a"), "its body was incomplete")),
      "/drips" -> ((_.drip("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200), "its head was incomplete"))
    )
    scripted((peer, _) => behaviours(peer.target)._1(peer)) { (server, client) =>
      val calls = behaviours.toList.map { case (path, (_, message)) =>
        (path, message, client.get(server.url + path).timeout(3.seconds).future)
      }
      for ((path, message, call) <- calls) {
        val e = intercept[ClientError.TimedOut](await(call))
        assert(
          e.getMessage.startsWith(s"GET ${server.url}$path: ") && e.getMessage.contains(message),
          e.getMessage
        )
        assertEquals(e.host, server.url)
      }
      eventually(server.closed.get == server.opened.get, "the connections are closed")
      eventually(client.statistics.head.open == 0, client.statistics)
      assertEquals((server.opened.get, client.statistics.head.inFlight), (4, 0))
    }
  }

  test("an answer that drips fast enough is an answer") {
    scripted((peer, _) =>
      peer.drip("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", 1)
    ) {
      (server, client) => assertEquals(client.get(server.url).await().text, "ok")
    }
  }

  test("interim responses are passed over; too many, or a switch of protocols, are not") {
    val interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    scripted((peer, _) => peer.send(interim + ok)) { (server, client) =>
      val answer = client.get(server.url).await()
      assertEquals((answer.status.code, answer.text, answer.header("Link")), (200, "ok", None))
    }
    failsWith[ClientError.Malformed](_.send("HTTP/1.1 102 Processing\r\n\r\n" * 17), "interim")
    failsWith[ClientError.Malformed](answers("HTTP/1.1 101 Switching\nUpgrade: x"), "switch of protocols")
  }

  test(
    "an invalid status, 600 to 999, is a failure of the server (RFC 9110 section 15), and is passed on as 502"
  ) {
    scripted((peer, _) => peer.send("HTTP/1.1 799 Odd\r\nContent-Length: 2\r\n\r\nok")) { (server, client) =>
      val answer = client.get(server.url).await()
      assertEquals((answer.status.code, answer.text, answer.isSuccess), (799, "ok", false))
      assertEquals((answer.status.isError, answer.toResponse.status.code), (true, 502))
      assertEquals(client.get(server.url).await().status.code, 799)
      eventually(server.opened.get == 1, "the connection is kept")
    }
  }

  test("more bytes than were asked for: the answer counts, the connection does not") {
    scripted((peer, _) => peer.send(ok + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")) {
      (server, client) =>
        assertEquals(client.get(server.url).await().text, "ok")
        assertEquals(client.get(server.url).await().text, "ok")
        assertEquals(server.opened.get, 2)
        eventually(server.closed.get == 2)
    }
  }

  test("more bytes than were asked for behind an answer that fills a read: no other call gets them") {
    def head(length: Int) = s"HTTP/1.1 200 OK\r\nContent-Length: $length\r\n\r\n"
    val length            = 65536 - head(10000).length
    val full              = head(length) + "o" * length
    scripted(
      (peer, _) => peer.send(full + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"),
      strict.copy(connectionsPerHost = 1)
    ) { (server, client) =>
      // the loop is busy, so that all of an answer, and what is behind it, is there when it reads
      def busy(turns: Int): Async[Unit] =
        if (turns == 0) Async.unit
        else Async.sleep(1.milli).flatMap { _ => Pause(20.millis); busy(turns - 1) }
      val answers = client.await {
        val _ = busy(20)
        Async.all((1 to 10).map(_ => client.get(server.url).text))
      }
      assertEquals(answers.count(_.startsWith("ooo")), 10)
    }
  }

  test("a response without a request, on an idle connection, closes it") {
    scripted((peer, _) => { peer.send(ok); peer.later(50)(peer.send(ok)) }) { (server, client) =>
      assertEquals(client.get(server.url).await().text, "ok")
      eventually(server.closed.get == 1)
      assertEquals(client.get(server.url).await().text, "ok")
      assertEquals(server.opened.get, 2)
    }
  }

  /** A response and a reset come while the client's content is being sent, and a write is the first to notice. */
  private def resetWhileSending(server: Scripted, client: Client, url: String): Unit = {
    val source = new ByteStream {
      private var count                      = 0
      def next(): Async[Option[Array[Byte]]] = {
        count += 1
        if (count == 2) eventually(server.closed.get == 1) // nothing is read meanwhile
        Async.value(Some(new Array[Byte](1000)))
      }
      def cancel(): Unit = ()
    }
    val response = client.post(url).body(source).await()
    assertEquals((response.status.code, response.text), (413, "no"))
    eventually(client.statistics.head.open == 0, client.statistics)
  }

  private def refuseAndReset(peer: Peer): Unit = {
    peer.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno")
    peer.reset()
  }

  test("a response that came before a reset is returned, although a write notices the reset") {
    scripted((peer, _) => refuseAndReset(peer))((server, client) =>
      resetWhileSending(server, client, server.url)
    )
  }

  test("the same over TLS") {
    assume(Tls.isKnown, "no TLS")
    val authority = newAuthority()
    val issued    = authority.issue("DNS:localhost")
    val identity  = Tls.server(TlsServerConfig(issued.chain, issued.key))
    val server    = new Scripted((peer, _) => refuseAndReset(peer), tls = identity)
    try
      calling(strict.copy(tls = Tls.trusting(authority.file)))(
        resetWhileSending(server, _, s"https://localhost:${server.port}")
      )
    finally server.close()
  }

  test("an answer's trailers are dropped where they would decide anything") {
    val text =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 7\r\nContent-Length: 9\r\n\r\n"
    scripted((peer, _) => peer.send(text)) { (server, client) =>
      val answer = client.get(server.url).await()
      assertEquals(answer.trailers.toList, List("X-Sum" -> "7"))
      assertEquals(client.get(server.url).await().text, "ok")
      assertEquals(server.opened.get, 1)
    }
  }

  test("a body whose length is known is none where there can be none: HEAD, 204, 304") {
    def script(text: String): (Peer, Int) => Unit = (peer, _) => peer.send(text)
    scripted(script("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")) { (server, client) =>
      for (_ <- 1 to 2) {
        val answer = client.head(server.url).await()
        assertEquals((answer.bytes.length, answer.header("Content-Length")), (0, Some("1000")))
      }
      assertEquals(server.opened.get, 1)
    }
    for (code <- List(204, 304))
      scripted(script(s"HTTP/1.1 $code X\r\nContent-Length: 5\r\n\r\n")) { (server, client) =>
        for (_ <- 1 to 2) assertEquals(client.get(server.url).await().status.code, code)
        assertEquals(server.opened.get, 1)
      }
  }

  test("Connection: close is obeyed, HTTP/1.0 persists with keep-alive only") {
    def connections(head: String): Int =
      scripted((peer, _) => peer.send(head + "\r\nContent-Length: 2\r\n\r\nok")) { (server, client) =>
        for (_ <- 1 to 3) assertEquals(client.get(server.url).await().text, "ok")
        server.opened.get
      }
    assertEquals(connections("HTTP/1.1 200 OK\r\nConnection: close"), 3)
    assertEquals(connections("HTTP/1.1 200 OK\r\nConnection: keep-alive, Close"), 3)
    assertEquals(connections("HTTP/1.0 200 OK"), 3)
    assertEquals(connections("HTTP/1.0 200 OK\r\nConnection: keep-alive"), 1)
    assertEquals(connections("HTTP/1.1 200 OK"), 1)
  }
}
