package needletail.gateway

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.gateway.format.cgi.Variables
import needletail.gateway.format.fastcgi.{FastCgiRecord, FastCgiWriter, NameValues}
import needletail.gateway.serve.{FastCgiRequest, GatewayConfig}
import needletail.http.text.ByteWriter

/** FastCGI over sockets: requests and their answers, as web servers send them. */
class FastCgiSuite extends Serving {
  import FastCgiRecord.*

  private def connected[A](config: GatewayConfig =
    GatewayConfig(server = base))(body: FastCgiClient => A): A =
    serving(FrontProtocol.FastCgi(_), config) { server =>
      val client = new FastCgiClient(server.port)
      try body(client)
      finally client.close()
    }

  test("a request and its answer: Status, headers, content, an orderly end") {
    connected() { client =>
      assertEquals(
        client.request(1, get("/hello")).answer(1),
        Answer(
          "Status: 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n\r\nhello",
          "",
          0,
          RequestComplete
        )
      )
    }
  }

  test("the connection stays open where the server asked for it, and only then") {
    connected() { client =>
      for (_ <- 1 to 3) assertEquals(client.request(1, get("/hello")).answer(1).content, "hello")
      assertEquals(client.request(1, get("/hello"), keeps = false).answer(1).content, "hello")
      assert(client.isEnded)
    }
  }

  test("a request that comes byte by byte, and one with the next stuck to its end") {
    connected() { client =>
      val whole = Records.written { w =>
        FastCgiWriter.beginRequest(w, 7, Responder, keepConnection = true)
        val params = Records.params(variables("POST", "/echo", "CONTENT_LENGTH" -> "4"): _*)
        FastCgiWriter.stream(w, Params, 7, params, 0, 20)
        FastCgiWriter.stream(w, Params, 7, params, 20, params.length - 20)
        FastCgiWriter.endStream(w, Params, 7)
        FastCgiWriter.stream(w, Stdin, 7, Records.latin1("body"), 0, 4)
        FastCgiWriter.endStream(w, Stdin, 7)
      }
      for (byte <- whole) client.raw(Array(byte))
      assertEquals(client.answer(7).content, "body")
      client.raw(whole ++ whole.map(identity))
      // the same number twice at once is two requests one after the other only where the first one's answer is out
      assertEquals(client.answer(7).content, "body")
      assertEquals(client.answer(7).content, "body")
    }
  }

  test("records with padding of any length") {
    connected() { client =>
      val params = Records.params(get("/hello"): _*)
      for (padding <- List(0, 1, 7, 8, 255)) {
        client.send(FastCgiWriter.beginRequest(_, 1, Responder, keepConnection = true))
        client.raw(Records.record(Params, 1, params, padding))
        client.raw(Records.record(Params, 1, new Array[Byte](0), padding))
        client.raw(Records.record(Stdin, 1, new Array[Byte](0), padding))
        assertEquals(client.answer(1).content, "hello", s"padding $padding")
      }
    }
  }

  test("parameters with lengths in four bytes") {
    connected() { client =>
      val long = "v" * 5000
      assertEquals(
        client.request(1, get("/hello", "HTTP_X_LONG" -> long, "N" * 200 -> "x")).answer(1).content,
        "hello"
      )
    }
  }

  test("what handlers see of the request, the client and the place they are put at") {
    connected() { client =>
      val more = Seq(
        "PATH_INFO"    -> "/about",
        "SCRIPT_NAME"  -> "/app",
        "REQUEST_URI"  -> "/app/about?a=%20b",
        "QUERY_STRING" -> "a=%20b",
        "HTTP_HOST"    -> "shop.test:8080",
        "HTTPS"        -> "on",
        "REMOTE_ADDR"  -> "2001:db8::1",
        "REMOTE_PORT"  -> "4711",
        "SERVER_ADDR"  -> "192.0.2.7",
        "SERVER_PORT"  -> "443",
        "REMOTE_USER"  -> "ann"
      )
      assertEquals(
        client.request(1, get("/x", more: _*)).answer(1).content,
        "GET /about?a=%20b host=shop.test:8080 secure=true remote=[2001:db8::1]:4711 local=192.0.2.7:443 " +
          "script=/app user=ann"
      )
    }
  }

  test("HEAD is answered without content, and what matches nothing with its status") {
    connected() { client =>
      val head = client.request(1, variables("HEAD", "/hello")).answer(1)
      assert(head.out.startsWith("Status: 200 OK\r\n") && head.out.contains("Content-Length: 5\r\n"), head)
      assertEquals(head.content, "")
      assertEquals(
        client.request(1, get("/nowhere")).answer(1).out.take(21),
        "Status: 404 Not Found"
      )
    }
  }

  test("a failure is told to the server's log and not to the client") {
    connected() { client =>
      val answer = client.request(1, get("/fails")).answer(1)
      assertEquals(answer.head.takeWhile(_ != '\r'), "Status: 500 Internal Server Error")
      assertEquals(answer.content, "internal server error")
      assertEquals(
        answer.err,
        "needletail: a handler failed: GET /fails: java.lang.IllegalStateException: the secret reason\n"
      )
    }
  }

  test("so is one that comes later, to the request that it is of") {
    connected() { client =>
      client.request(1, get("/fails-later")).request(2, get("/slow")).request(3, get("/fails-later"))
      val answers = client.answersOf(3)
      for (id <- List(1, 3)) {
        assertEquals(answers(id).content, "internal server error")
        assertEquals(
          answers(id).err,
          "needletail: a handler failed: GET /fails-later: java.lang.IllegalStateException: the later reason\n"
        )
      }
      assertEquals((answers(2).content, answers(2).err), ("slow", ""))
    }
  }

  test("content of known length is streamed to the handler and back") {
    connected() { client =>
      client.begin(1, variables("POST", "/echo", "CONTENT_LENGTH" -> "6"))
      client.content(1, "abc")
      var got = ""
      while (!got.endsWith("abc")) got += client.record().content
      client.content(1, "def").contentEnds(1)
      assertEquals(client.answer(1).out, "def")
    }
  }

  test("content of unknown length ends with its stream") {
    connected() { client =>
      assertEquals(client.request(1, variables("POST", "/echo"), "0\r\nabc").answer(1).content, "0\r\nabc")
      assertEquals(client.request(2, variables("POST", "/length"), "x" * 200000).answer(2).content, "200000")
      assertEquals(
        client.request(3, variables("POST", "/length", "CONTENT_LENGTH" -> "")).answer(3).content,
        "0"
      )
    }
  }

  test("content that goes beyond CONTENT_LENGTH is no content, and less is an error") {
    connected() { client =>
      assertEquals(
        client.request(1, variables("POST", "/echo", "CONTENT_LENGTH" -> "3"), "abcdef").answer(1).content,
        "abc"
      )
      val short = client.request(2, variables("POST", "/length", "CONTENT_LENGTH" -> "9"), "abc").answer(2)
      assertEquals(short.head.takeWhile(_ != '\r'), "Status: 400 Bad Request")
      assertEquals(short.content, "the request ended before its body did")
    }
  }

  test("unread content delays neither the response nor the next request") {
    connected() { client =>
      client.begin(1, variables("POST", "/ignore", "CONTENT_LENGTH" -> "100000"))
      assertEquals(client.answer(1).content, "not read")
      client.content(1, "x" * 100000).contentEnds(1)
      assertEquals(client.request(1, get("/hello")).answer(1).content, "hello")
    }
  }

  test("an answer longer than records is sent in several, and arrives whole") {
    connected() { client =>
      val answer = client.request(1, get("/large")).answer(1)
      assert(answer.content == new String(Serving.large, "ISO-8859-1"), s"${answer.content.length} bytes")
    }
  }

  test("an answer that breaks off while it is alone ends its connection, so that it can be told") {
    connected() { client =>
      client.request(1, get("/broken"))
      intercept[java.io.IOException](client.answer(1))
    }
  }

  test("an answer that breaks off among others ends with another status than a program's success") {
    connected() { client =>
      client.request(1, get("/wait")).request(2, get("/broken"))
      val broken = client.answersOf(1)(2)
      assertEquals((broken.appStatus, broken.status), (FastCgiRequest.Failure, RequestComplete))
      assertEquals(client.request(3, get("/hello")).answer(3).content, "hello")
    }
  }

  test("an answer of announced length that breaks off is shorter than it said") {
    connected() { client =>
      val cut = client.request(1, get("/cut")).answer(1)
      assert(cut.head.contains("Content-Length: 2000000") && cut.content.length < 2000000, cut.head)
      assertEquals(client.request(1, get("/hello")).answer(1).content, "hello")
    }
  }

  test("requests side by side are answered as they are ready") {
    connected() { client =>
      client.begin(1, get("/slow")).contentEnds(1)
      assertEquals(client.request(2, get("/hello")).answer(2).content, "hello")
      assertEquals(client.request(3, get("/hello")).answer(3).content, "hello")
      assertEquals(client.answer(1).content, "slow")
    }
  }

  test("fifty requests begun before any has its content, and finished in another order") {
    connected() { client =>
      val ids = (1 to 50).map(_ * 7)
      ids.foreach(id => client.begin(id, variables("POST", "/length", "CONTENT_LENGTH" -> "1000")))
      for (piece <- 1 to 10; id <- ids.reverse) client.content(id, piece.toString.take(1) * 100)
      ids.foreach(client.contentEnds(_))
      assertEquals(client.answersOf(50).map { case (id, a) => id -> a.content }, ids.map(_ -> "1000").toMap)
    }
  }

  test("the stream of errors is ended where it was begun, before the request is") {
    connected() { client =>
      client.request(1, get("/fails"))
      val kinds = Iterator.continually(client.record()).takeWhile(_.kind != EndRequest).toList
      assertEquals(kinds.filter(_.kind == Stderr).map(_.content.isEmpty), List(false, true))
      assertEquals(kinds.filter(_.kind == Stdout).map(_.content.isEmpty), List(false, true))
      client.request(1, get("/hello"))
      val quiet = Iterator.continually(client.record()).takeWhile(_.kind != EndRequest).toList
      assertEquals(quiet.map(_.kind).distinct, List(Stdout))
    }
  }

  test(
    "ABORT_REQUEST at each stage: before the variables, within them, before the content, within it, after all"
  ) {
    connected() { client =>
      val params = Records.params(variables("POST", "/length", "CONTENT_LENGTH" -> "9"): _*)
      val stages = List[FastCgiClient => Any](
        _ => (),
        _.send(FastCgiWriter.stream(_, Params, 1, params, 0, 20)),
        _.send(FastCgiWriter.stream(_, Params, 1, params, 20, params.length - 20)),
        _.send(FastCgiWriter.endStream(_, Params, 1)),
        _.content(1, "1234")
      )
      for (n <- 1 to stages.length) {
        client.send(FastCgiWriter.beginRequest(_, 1, Responder, keepConnection = true))
        stages.take(n).foreach(_.apply(client))
        client.send(FastCgiWriter.abortRequest(_, 1))
        assertEquals(client.answer(1), Answer("", "", 1, RequestComplete), s"stage $n")
      }
      client.request(1, get("/hello"))
      assertEquals(client.answer(1).content, "hello")
      // of one that is over it means nothing
      client.send(FastCgiWriter.abortRequest(_, 1))
      assertEquals(client.request(1, get("/hello")).answer(1).content, "hello")
    }
  }

  test("ABORT_REQUEST cancels what the handler waits for, and is answered") {
    connected() { client =>
      val before = cancelled.get
      client.request(1, get("/wait")).request(2, get("/hello"))
      assertEquals(client.answer(2).content, "hello")
      client.send(FastCgiWriter.abortRequest(_, 1))
      val answer = client.answer(1)
      assertEquals((answer.out, answer.status), ("", RequestComplete))
      assertEquals(cancelled.get, before + 1)
      assertEquals(client.request(1, get("/hello")).answer(1).content, "hello")
    }
  }

  test("a server that goes away cancels what is under way") {
    serving(FrontProtocol.FastCgi(_)) { server =>
      val before = cancelled.get
      val client = new FastCgiClient(server.port)
      for (id <- 1 to 4) client.request(id, get("/wait"))
      client.request(5, variables("POST", "/wait"), "not read")
      client.request(6, get("/hello")).answer(6)
      client.close()
      eventually(cancelled.get == before + 5)
    }
  }

  test("a server that ends its side gets what was under way") {
    connected() { client =>
      client.request(
        1,
        get("/slow")
      ).request(2, variables("POST", "/later") :+ ("CONTENT_LENGTH" -> "3"), "abc")
      client.endOutput()
      val answers = client.answersOf(2)
      assertEquals(answers(1).content, "slow")
      assertEquals(answers(2).content, "3")
      assert(client.isEnded)
    }
  }

  test("so does content of unknown length, if it is complete") {
    connected() { client =>
      client.request(1, variables("POST", "/later"), "abc").begin(2, variables("POST", "/later"))
      client.content(2, "abc").endOutput()
      val answers = client.answersOf(2)
      assertEquals((answers(1).content, answers(2).content), ("3", "the request ended before its body did"))
    }
  }

  test("a request that is given up without an answer does not end as a program that succeeded") {
    connected() { client =>
      val before = cancelled.get
      // no more comes on the connection, so what is not there within `halfCloseGrace` is given up
      client.request(1, get("/slow")).request(2, get("/wait")).endOutput()
      val answers = client.answersOf(2)
      assertEquals((answers(1).content, answers(1).appStatus), ("slow", FastCgiRequest.Success))
      assertEquals(answers(2), Answer("", "", FastCgiRequest.Failure, RequestComplete))
      assertEquals(cancelled.get, before + 1)
      assert(client.isEnded)
    }
  }

  test("GET_VALUES is answered for what we know, and unknown types are named") {
    connected(GatewayConfig(server = base.copy(maxConnections = 10), maxMultiplexed = 5)) { client =>
      val asked = new ByteWriter(64)
      List(MaxConnections, "UNKNOWN", MaxRequests, MultiplexesConn).foreach(NameValues.write(asked, _, ""))
      client.send(FastCgiWriter.management(_, GetValues, asked))
      val answer    = client.record()
      val variables = new Variables
      val content   = Records.latin1(answer.content)
      assertEquals((answer.kind, answer.id), (GetValuesResult, Management))
      assert(NameValues.read(variables, content, 0, content.length))
      assertEquals(
        variables.toList,
        List(MaxConnections -> "10", MaxRequests -> "50", MultiplexesConn -> "1")
      )
      client.send(FastCgiWriter.header(_, 42, Management, 0, 0))
      assertEquals(client.record(), Record(UnknownType, 0, "*\u0000\u0000\u0000\u0000\u0000\u0000\u0000"))
      assertEquals(client.request(1, get("/hello")).answer(1).content, "hello")
    }
  }

  test("roles other than responder are refused, and the connection lives on") {
    connected() { client =>
      for (role <- List(Authorizer, Filter, 0, 77)) {
        client.begin(3, get("/hello"), role = role)
        assertEquals(client.answer(3), Answer("", "", 1, UnknownRole), s"role $role")
      }
      assertEquals(client.request(3, get("/hello")).answer(3).content, "hello")
    }
  }

  test("draining finishes what is under way, and closes connections that wait") {
    serving(FrontProtocol.FastCgi(_)) { server =>
      val busy = new FastCgiClient(server.port).request(1, get("/slow"))
      val idle = new FastCgiClient(server.port).request(1, get("/hello"))
      assertEquals(idle.answer(1).content, "hello")
      val gone = server.drain()
      assertEquals(busy.answer(1).content, "slow")
      assert(busy.isEnded && idle.isEnded)
      Await.result(gone, 20.seconds)
    }
  }

  test("fault 19: streams that wait end when a drain begins") {
    serving(FrontProtocol.FastCgi(_)) { server =>
      val clients =
        List("/events", "/until-drain").map(path => new FastCgiClient(server.port).request(1, get(path)))
      val begun   = clients.map(_.record().content)
      val gone    = server.drain()
      val ended   = clients.map(_.answer(1))
      val answers = begun.zip(ended).map { case (first, rest) => rest.copy(out = first + rest.out) }
      assertEquals(answers.map(_.content), List("data: 1\n\n", "first"))
      assertEquals(answers.map(_.status), List(0, 0))
      Await.result(gone, 10.seconds) // and not when drainTimeout is over
    }
  }
}
