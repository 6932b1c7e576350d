package needletail.content.events

import java.nio.charset.StandardCharsets.UTF_8

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.client.Serving
import needletail.client.error.ClientError
import needletail.http.{Handler, Headers, Method, Request, Response, Status}
import needletail.stream.Stream
import needletail.testing.Suite
import needletail.testkit.ManualLoop

class EventSourceSuite extends Suite with Serving {
  private def parse(pieces: Iterator[Array[Byte]], longest: Int = 1000) =
    new ManualLoop().run(EventSource.parse(Stream.fromIterator(pieces), longest).toList(100))

  private def of(text: String) = parse(Iterator(text.getBytes(UTF_8))).get

  test("events by the HTML standard, wherever the bytes are split") {
    val text =
      "\ufeff: comment\ndata: a\rdata:b\r\ndata\n\nid: 7\nevent: tick\ndata:  ä\n\ndata: c\n\nevent: none\n\nid: 8\nunknown: x\ndata\n\ndata: incomplete"
    val expected =
      List(Event("a\nb\n"), Event(" ä", Some("7"), "tick"), Event("c", Some("7")), Event("", Some("8")))
    val bytes = text.getBytes(UTF_8)
    for (split <- 0 to bytes.length)
      assertEquals(parse(Iterator(bytes.take(split), bytes.drop(split))).get, expected, split)
    assertEquals(parse(bytes.iterator.map(Array(_))).get, expected)
  }

  test("what is rendered is parsed") {
    for (event <- List(Event("a\nb"), Event("", Some("1")), Event(" x", Some(""), "n")))
      assertEquals(of(new String(event.render, UTF_8)), List(event))
  }

  test("an endless line, and endless data, are failures") {
    val line = parse(Iterator.continually("x".getBytes)).failed.get
    assert(line.getMessage.contains("line of more than 1000"), line)
    val data = parse(Iterator.continually("data: 123456789\n".getBytes)).failed.get
    assert(data.getMessage.contains("more than 1000"), data)
  }

  test("connects again with the last id, as late as the server says, until there is nothing more") {
    var asked  = List.empty[(Option[String], Long)]
    val loop   = new ManualLoop
    val bodies = Iterator[Async[Option[Stream[Array[Byte]]]]](
      Async.value(Some(
        Stream("id: 1\ndata: a\n\nretry: 500\n\n".getBytes) ++ Stream.fail(new java.io.IOException("cut"))
      )),
      Async.value(Some(Stream("id: 2\ndata: b\n\n".getBytes))),
      Async.value(None)
    )
    val events = loop.run(
      EventSource(retry = 3.seconds) { last =>
        asked = (last, loop.nowNanos / 1000000) :: asked
        bodies.next()
      }.toList(10)
    ).get
    assertEquals(events.map(_.data), List("a", "b"))
    val begin = asked.last._2
    assertEquals(
      asked.reverse.map(a => (a._1, a._2 - begin)),
      List((None, 0L), (Some("1"), 500L), (Some("2"), 1000L))
    )
  }

  test("the id of an event that is cut off does not count, one of an event without data does") {
    var asked  = List.empty[Option[String]]
    val bodies = Iterator[Option[Stream[Array[Byte]]]](
      Some(Stream("id: 1\ndata: a\n\nid: 2\ndata: b\n".getBytes)),
      Some(Stream("id: 3\n\nid: 4\n".getBytes)),
      Some(Stream("data: c\n\n".getBytes)),
      None
    )
    val events = new ManualLoop().run(EventSource() { last =>
      asked = last :: asked
      Async.value(bodies.next())
    }.toList(10)).get
    assertEquals(events.map(e => (e.data, e.id)), List(("a", Some("1")), ("c", Some("3"))))
    assertEquals(asked.reverse, List(None, Some("1"), Some("3"), Some("3")))
  }

  test("an id is asked for in UTF-8, and left out if no field can have it") {
    def asked(id: String): Option[String] = {
      var last   = Option.empty[String]
      val bodies = Iterator[Option[Stream[Array[Byte]]]](Some(Stream(s"id: $id\n\n".getBytes("UTF-8"))), None)
      new ManualLoop().run(EventSource() { id =>
        last = id
        Async.value(bodies.next())
      }.drain()).get
      last
    }
    for (id <- List("7", "\u00e9", "\u65e5\u672c")) {
      val request = Request(Method.GET, "/", Headers("Last-Event-ID" -> asked(id).get))
      assertEquals(Events.lastId(request), Some(id))
    }
    assertEquals(asked("\u00e9"), Some("\u00c3\u00a9"))
    for (id <- List("a\u0001b", "\u007f", "")) assertEquals(asked(id), None)
  }

  test("a server cannot ask to be connected to without a pause") {
    val loop   = new ManualLoop
    var asked  = List.empty[Long]
    val bodies =
      Iterator[Option[Stream[Array[Byte]]]](Some(Stream("retry: 0\n\n".getBytes)), Some(Stream.empty), None)
    loop.run(EventSource() { _ =>
      asked = loop.nowNanos / 1000000 :: asked
      Async.value(bodies.next())
    }.drain()).get
    assertEquals(asked.reverse.map(_ - asked.last), List(0L, 100L, 200L))
  }

  test("a server that cannot be reached again is tried later and later, up to a minute apart") {
    val loop    = new ManualLoop
    var asked   = List.empty[Long]
    val refused = new ClientError.CannotConnect("http://events:80", new java.io.IOException("refused"))
    val bodies  = Iterator[Async[Option[Stream[Array[Byte]]]]](
      Async.value(Some(Stream("id: 1\ndata: a\n\n".getBytes)))
    ) ++ Iterator.fill(4)(Async.fail(refused)) ++ Iterator(
      Async.value(Some(Stream("data: b\n\n".getBytes))),
      Async.value(None)
    )
    val events = loop.run(EventSource(retry = 10.seconds) { _ =>
      asked = loop.nowNanos / 1000000000 :: asked
      bodies.next()
    }.toList(10)).get
    assertEquals(events.map(_.data), List("a", "b"))
    assertEquals(asked.reverse.map(_ - asked.last), List(0L, 10L, 30L, 70L, 130L, 190L, 200L))
  }

  /** The data of the events of a server with these responses, the ids that it was asked for, and the failure. */
  private def fromServer(responses: Response*): (List[String], List[Option[String]], Option[Throwable]) = {
    val left             = responses.iterator
    var asked            = List.empty[Option[String]]
    var seen             = List.empty[String]
    val handler: Handler = request => {
      assertEquals(request.header("Accept"), Some("text/event-stream"))
      asked = request.header("Last-Event-ID") :: asked
      left.next()
    }
    serving(handler) { (server, client) =>
      val events  = EventSource.of(client.service(server.url).get("/events"), retry = 100.millis)
      val failure =
        scala.util.Try(client.await(events.foreach(event => seen = event.data :: seen))).failed.toOption
      (seen.reverse, asked.reverse, failure)
    }
  }

  private def events(text: String) = Response.ok.contentType("text/event-stream").bytes(text.getBytes)
  private def status(code: Int)    = Response(Status(code)).text("no")

  test("the events of a call go on when a proxy says that the server is away, and end with 204") {
    val (seen, asked, failure) = fromServer(
      events("id: 1\ndata: a\n\n"),
      status(502), // which the client itself repeats
      status(500),
      events("id: 2\ndata: b\n\n"),
      status(429),
      Response(Status.NoContent)
    )
    assertEquals((seen, failure), (List("a", "b"), None))
    assertEquals(asked, List(None) ++ List.fill(3)(Some("1")) ++ List.fill(2)(Some("2")))
  }

  test("the events of a call fail with a first response that is none, and with one that will not change") {
    for (responses <- List(Seq(status(500)), Seq(status(404)), Seq(events("data: a\n\n"), status(403)))) {
      val (seen, asked, failure) = fromServer(responses: _*)
      assertEquals((seen.size, asked.size), (responses.size - 1, responses.size))
      failure match {
        case Some(e: ClientError.UnexpectedStatus) => assert(Set(500, 404, 403)(e.status.code), e)
        case other                                 => fail(s"$other")
      }
    }
  }

  test(
    "a response that has no events fails those of a call: the page of a login or of an outage would never change"
  ) {
    val page = Response.ok.contentType("text/html").bytes("<p>log in\n\ndata: x\n\n".getBytes)
    for (
      responses <-
        List(Seq(page), Seq(events("data: a\n\n"), page), Seq(Response.ok.bytes("data: x\n\n".getBytes)))
    ) {
      val (seen, asked, failure) = fromServer(responses: _*)
      assertEquals((seen, asked.size), (List("a").take(responses.size - 1), responses.size))
      assert(failure.exists(_.getMessage.contains("does not respond with text/event-stream")), failure)
    }
    val (seen, _, failure) = fromServer(
      Response.ok.contentType("Text/Event-Stream; charset=utf-8").bytes("data: a\n\n".getBytes),
      Response(Status.NoContent)
    )
    assertEquals((seen, failure), (List("a"), None))
  }

  test("very many connections without an event use no stack, for an event after them and for the end") {
    def after(connections: Int)(next: => Async[Option[Stream[Array[Byte]]]]) = {
      var left = connections
      EventSource(100.millis) { _ =>
        left -= 1
        if (left >= 0) Async.value(Some(Stream.empty)) else next
      }
    }
    val loop = new ManualLoop
    val body = Stream("data: x\n\n".getBytes)
    assertEquals(
      loop.run(after(100000)(Async.value(Some(body))).take(1).toList(1)).get.map(_.data),
      List("x")
    )
    val never     = new AsyncPromise[Option[Stream[Array[Byte]]]]
    val cancelled = loop.run {
      val events  = after(100000)(never)
      val reading = events.next()
      Async.sleep(3.hours).map { _ =>
        reading.cancel()
        events.cancel()
      }
    }
    assertEquals(cancelled.toEither, Right(()))
    assert(never.isCompleted)
  }

  test("the end of the client ends the events, at any time") {
    val loop   = new ManualLoop
    val closed = new ClientError.ClientClosed("http://events:80")
    var calls  = 0
    val ended  = loop.run(EventSource() { _ =>
      calls += 1
      if (calls == 1) Async.value(Some(Stream("data: a\n\n".getBytes)))
      else if (calls == 2)
        Async.fail(new ClientError.CannotConnect("http://events:80", new java.io.IOException("refused")))
      else if (calls == 3) Async.fail(closed)
      else Async.fail(new AssertionError("it was called again"))
    }.drain())
    assert(ended.failed.get eq closed, ended)
    assertEquals(calls, 3)
  }

  test("an event that is too long ends the events, as it would come again after each reconnection") {
    for (long <- List("data: " + "x" * 200, "data: " + "x" * 60 + "\ndata: " + "x" * 60 + "\n")) {
      var calls     = 0
      var cancelled = 0
      val body      = Stream("id: 1\ndata: a\n\n".getBytes, long.getBytes) ++
        Stream.defer(new AsyncPromise[Stream[Array[Byte]]])
      val events = EventSource(longest = 100) { _ =>
        calls += 1
        Async.value(if (calls < 3) Some(body.onEnd(cancelled += 1)) else None)
      }
      var seen   = List.empty[String]
      val failed = new ManualLoop().run(events.foreach(event => seen = event.data :: seen)).failed.get
      assert(failed.getMessage.contains("more than 100"), failed)
      assertEquals((seen, calls, cancelled), (List("a"), 1, 1))
    }
  }

  test("events that are complete before what is too long are delivered, wherever the bytes are split") {
    val whole = "id: 1\ndata: a\n\ndata: b\n\n"
    for (long <- List("data: " + "x" * 200, "data: " + "x" * 60 + "\ndata: " + "x" * 60 + "\n")) {
      val bytes = (whole + long + "\n\ndata: c\n\n").getBytes
      for (split <- 0 to bytes.length) {
        var seen   = List.empty[String]
        val events = EventSource.parse(Stream(bytes.take(split), bytes.drop(split)), longest = 100)
        val failed = new ManualLoop().run(events.foreach(event => seen = event.data :: seen)).failed.get
        assert(failed.getMessage.contains("more than 100"), failed)
        assertEquals(seen, List("b", "a"), split)
      }
    }
  }

  test("another failure than that of a connection ends the events, at any time") {
    val bodies = Iterator[Async[Option[Stream[Array[Byte]]]]](
      Async.value(Some(Stream("data: a\n\n".getBytes))),
      Async.fail(new IllegalStateException("a mistake"))
    )
    val failed = new ManualLoop().run(EventSource()(_ => bodies.next()).drain())
    assertEquals(failed.failed.get.getMessage, "a mistake")
  }

  test("a body that fails with an error of linkage, or of the stack, is the end of its connection too") {
    for (error <- List(new NoClassDefFoundError("a/B"), new StackOverflowError)) {
      val bodies = Iterator[Option[Stream[Array[Byte]]]](
        Some(Stream("data: a\n\n".getBytes) ++ Stream.fail(error)),
        Some(Stream("data: b\n\n".getBytes).map(bytes => if (bytes.isEmpty) bytes else throw error)),
        Some(Stream("data: c\n\n".getBytes)),
        None
      )
      val events = new ManualLoop().run(EventSource()(_ => Async.value(bodies.next())).toList(10))
      assertEquals(events.toEither.map(_.map(_.data)), Right(List("a", "c")))
    }
  }

  test("a connection that cannot be made is a failure") {
    val failed = new ManualLoop().run(EventSource()(_ => Async.fail(new RuntimeException("refused"))).drain())
    assertEquals(failed.failed.get.getMessage, "refused")
  }
}
