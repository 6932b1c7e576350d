package needletail.gateway

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.gateway.format.cgi.Variables
import needletail.gateway.format.fastcgi.{FastCgiRecord, FastCgiWriter, NameValues}
import needletail.gateway.serve.{FastCgiProtocol, GatewayConfig}

/** What a peer may make us keep or do is bounded, and said; see golang/go#81548 for one who drowned. */
class FastCgiBoundsSuite extends Serving {
  import FastCgiRecord.*

  private def connected[A](config: GatewayConfig)(body: FastCgiClient => A): A =
    serving(FrontProtocol.FastCgi(_), config) { server =>
      val client = new FastCgiClient(server.port)
      try body(client)
      finally client.close()
    }

  private val small = GatewayConfig(server = base, maxMultiplexed = 4, maxVariables = 1000, maxUnread = 10000)

  test("begun requests beyond the bound are told that we are overloaded, and room comes back") {
    connected(small) { client =>
      for (id <- 1 to 4) client.begin(id, variables("POST", "/length", "CONTENT_LENGTH" -> "1"))
      for (id <- 5 to 300)
        client.send(FastCgiWriter.beginRequest(_, id, Responder, keepConnection = true))
      assertEquals(
        client.answersOf(296),
        (5 to 300).map(_ -> Answer("", "", 1, Overloaded)).toMap
      )
      for (id <- 1 to 4) client.content(id, "x").contentEnds(id)
      assertEquals(client.answersOf(4).values.map(_.content).toSet, Set("1"))
      assertEquals(client.request(9, get("/hello")).answer(9).content, "hello")
    }
  }

  test("variables beyond the bound are refused with 431, and dropped as they come") {
    connected(small) { client =>
      client.send(FastCgiWriter.beginRequest(_, 1, Responder, keepConnection = true))
      val junk = new Array[Byte](60000)
      for (_ <- 1 to 20) client.send(FastCgiWriter.stream(_, Params, 1, junk, 0, junk.length))
      client.send(FastCgiWriter.endStream(_, Params, 1))
      assertEquals(
        client.answer(1).head.takeWhile(_ != '\r'),
        "Status: 431 Request Header Fields Too Large"
      )
      assertEquals(client.request(1, get("/hello")).answer(1).content, "hello")
    }
  }

  test("malformed variables are refused with 400") {
    connected(small) { client =>
      client.send { w =>
        FastCgiWriter.beginRequest(w, 1, Responder, keepConnection = true)
        FastCgiWriter.stream(w, Params, 1, Records.latin1("\u0005\u0005abc"), 0, 5)
        FastCgiWriter.endStream(w, Params, 1)
        FastCgiWriter.endStream(w, Stdin, 1)
      }
      assertEquals(client.answer(1).content, "the request's variables are malformed")
      assertEquals(client.request(1, Nil).answer(1).content, "REQUEST_METHOD is missing")
    }
  }

  test(
    "content that a handler does not read is kept up to the bound; then nothing is read, and it goes on later"
  ) {
    serving(FrontProtocol.FastCgi(_), small) { server =>
      val client = new FastCgiClient(server.port)
      client.begin(1, variables("POST", "/wait", "CONTENT_LENGTH" -> "60000000"))
      // more than sockets hold: to send it ends only when all is read, or the request is given up
      @volatile var sent = 0
      val sender         = new Thread(() =>
        try
          for (_ <- 1 to 600) {
            client.content(1, "x" * 100000)
            sent += 100000
          }
        catch { case _: java.io.IOException => () }
      )
      sender.setDaemon(true)
      sender.start()
      untilStill(sent)
      assert(sent < 30 * 1000 * 1000, s"$sent bytes were taken")
      val statistics = Await.result(server.statistics, 20.seconds)
      assert(statistics.bytesRead < 1000 * 1000, statistics)
      client.close()
      sender.join(5000)
    }
  }

  test("who was started by a server reads on what that hands over before it takes an answer, up to maxBody") {
    val size   = 20 * 1000 * 1000 // more than sockets hold, there and back
    val text   = "0123456789" * 10000
    val config = GatewayConfig(server = base.copy(maxBody = size.toLong))
    val server = needletail.server.Server.start(
      config.server.copy(address = needletail.io.Address.Tcp("127.0.0.1", 0)),
      new FastCgiProtocol(handler, config, readsAhead = true)
    )
    try {
      for (length <- List(Some(size.toString), None)) {
        val client = new FastCgiClient(server.port)
        client.begin(1, variables("POST", "/echo", length.map("CONTENT_LENGTH" -> _).toSeq: _*))
        for (_ <- 1 to size / text.length) client.content(1, text)
        client.contentEnds(1)
        var got = 0L
        var r   = client.record()
        while (r.kind != EndRequest) {
          got += r.content.length
          r = client.record()
        }
        assert(got > size && got < size + 500, s"$got bytes")
        client.close()
      }
    } finally { Await.result(server.close(), 20.seconds); () }
  }

  test("an answer that the server does not take is not made beyond the bound, and others wait their turn") {
    serving(FrontProtocol.FastCgi(_), small) { server =>
      val client = new FastCgiClient(server.port)
      client.request(1, get("/endless"))
      def written: Long = Await.result(server.statistics, 20.seconds).bytesWritten
      val before        = untilStill(written)
      client.request(2, get("/hello"))
      // what has been held up comes, and the small answer soon after
      var first = 0L
      var found = false
      while (!found) {
        val r = client.record()
        if (r.id == 1) first += r.content.length else found = true
        assert(first < before + 16L * 1024 * 1024, s"$first bytes of the other answer came first")
      }
      client.close()
    }
  }

  test("what is no FastCGI ends the connection") {
    val malformed = List(
      Records.latin1("GET / HTTP/1.1\r\n\r\n"),
      Records.record(BeginRequest, 0, new Array[Byte](8), 0),
      Records.record(BeginRequest, 1, new Array[Byte](7), 0),
      Records.record(BeginRequest, 1, new Array[Byte](600), 0)
    )
    for (bytes <- malformed) connected(small)(client => assert(client.raw(bytes).isEnded))
    connected(small) { client =>
      client.begin(1, get("/wait")).begin(1, get("/hello"))
      assert(client.isEnded)
    }
  }

  private val ofRequests = List(AbortRequest, EndRequest, Params, Stdin, Stdout, Stderr, Data)

  test("records of requests that are not there, or of types that only we send, are passed over") {
    connected(small) { client =>
      for (kind <- ofRequests) client.raw(Records.record(kind, 9, Records.latin1("junk"), 3))
      assertEquals(client.request(1, get("/hello")).answer(1).content, "hello")
    }
  }

  test("records about the connection of types that only requests have are named as unknown") {
    connected(small) { client =>
      for (kind <- ofRequests :+ 255) {
        client.raw(Records.record(kind, Management, Records.latin1("junk"), 3))
        assertEquals(client.record(), Record(UnknownType, 0, s"${kind.toChar}" + "\u0000" * 7))
      }
      assertEquals(client.request(1, get("/hello")).answer(1).content, "hello")
    }
  }

  test(
    "a connection that may have one request refuses a second one as FastCGI names that, and says so before"
  ) {
    connected(small.copy(maxMultiplexed = 1)) { client =>
      client.send(FastCgiWriter.management(_, GetValues, asked(MultiplexesConn)))
      assertEquals(values(client.record()), List(MultiplexesConn -> "0"))
      client.begin(1, variables("POST", "/length", "CONTENT_LENGTH" -> "1"))
      client.begin(2, get("/hello"))
      assertEquals(client.answer(2), Answer("", "", 1, CannotMultiplex))
      client.content(1, "x").contentEnds(1)
      assertEquals(client.answer(1).content, "1")
    }
  }

  test(
    "GET_VALUES may be as long as a record, each name is answered once, and what is malformed not at all"
  ) {
    connected(small) { client =>
      val long = asked("X" * 60000, MultiplexesConn, MultiplexesConn)
      client.send(FastCgiWriter.management(_, GetValues, long))
      assertEquals(values(client.record()), List(MultiplexesConn -> "1"))
      client.raw(Records.record(GetValues, Management, Records.latin1("\u0020junk"), 0))
      assertEquals(client.record(), Record(GetValuesResult, 0, ""))
      assertEquals(client.request(1, get("/hello")).answer(1).content, "hello")
    }
  }

  private def asked(names: String*): needletail.http.text.ByteWriter = {
    val w = new needletail.http.text.ByteWriter(64)
    names.foreach(NameValues.write(w, _, ""))
    w
  }

  private def values(answer: Record): List[(String, String)] = {
    assertEquals((answer.kind, answer.id), (GetValuesResult, Management))
    val variables = new Variables
    val content   = Records.latin1(answer.content)
    assert(NameValues.read(variables, content, 0, content.length))
    variables.toList
  }

  test("variables that never end are given up after the time for a head") {
    connected(small.copy(server = base.copy(headTimeout = 100.millis))) { client =>
      client.send(FastCgiWriter.beginRequest(_, 1, Responder, keepConnection = true))
      assertEquals(client.answer(1).head.takeWhile(_ != '\r'), "Status: 408 Request Timeout")
    }
  }

  test("content that does not come is given up, and a handler that does not answer") {
    connected(small.copy(server = base.copy(bodyTimeout = 100.millis, handlerTimeout = 2.seconds))) {
      client =>
        client.begin(1, variables("POST", "/length", "CONTENT_LENGTH" -> "9"))
        assertEquals(client.answer(1).head.takeWhile(_ != '\r'), "Status: 408 Request Timeout")
        assertEquals(
          client.request(2, get("/wait")).answer(2).head.takeWhile(_ != '\r'),
          "Status: 503 Service Unavailable"
        )
    }
  }

  test("a connection that waits is closed after the idle timeout") {
    connected(small.copy(server = base.copy(idleTimeout = 1.second))) { client =>
      client.request(1, get("/hello")).answer(1)
      assert(client.isEnded)
    }
  }

  test("content beyond maxBody is refused before it is read") {
    connected(small.copy(server = base.copy(maxBody = 10))) { client =>
      client.begin(1, variables("POST", "/length", "CONTENT_LENGTH" -> "11"))
      assertEquals(client.answer(1).head.takeWhile(_ != '\r'), "Status: 413 Content Too Large")
      assertEquals(
        client.request(2, variables("POST", "/length"), "x" * 11).answer(2).head.takeWhile(_ != '\r'),
        "Status: 413 Content Too Large"
      )
    }
  }
}
