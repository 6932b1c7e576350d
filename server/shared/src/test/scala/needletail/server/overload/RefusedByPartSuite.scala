package needletail.server.overload

import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.server.session.FakeWire

import scala.collection.mutable
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise, Rejected}
import needletail.http.{Handler, Priority, Refusal, Reply, Request}
import needletail.routing._
import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** What a part of a route refuses is counted and logged as that route's, and OPTIONS under its own name. */
class RefusedByPartSuite extends Suite {
  private val key    = header("X-Key", arg[String].filter(_ == "k", "a wrong key"))
  private val user   = Filter("user")(_ => Async.value(Left("who?".unauthorized): Either[Response, String]))
  private val routes = Routes(
    GET / "users" / arg[Int]("id") to (id => s"$id".ok),
    GET / "page" + ?("n", arg[Int]) to (n => s"$n".ok),
    GET / "key" + key to (_ => "in".ok),
    GET / "own" + user to (name => name.ok)
  )

  private val cases = List(
    "GET /users/1"     -> (200 -> Some("GET /users/{id}")),
    "GET /users/x"     -> (400 -> Some("GET /users/{id}")),
    "GET /page"        -> (400 -> Some("GET /page")),
    "GET /page?n=x"    -> (400 -> Some("GET /page")),
    "GET /key"         -> (400 -> Some("GET /key")),
    "GET /own"         -> (401 -> Some("GET /own")),
    "OPTIONS /page"    -> (204 -> Some("OPTIONS *")),
    "OPTIONS *"        -> (200 -> Some("OPTIONS *")),
    "OPTIONS /nowhere" -> (404 -> None),
    "GET /nowhere"     -> (404 -> None)
  )

  test("what a handler's part refuses is counted once, as its route's, and has no duration") {
    val full                     = new Rejected("full")
    var later                    = List.empty[AsyncPromise[Response]]
    def await(): Async[Response] = {
      later = new AsyncPromise[Response] :: later
      later.head
    }
    val refusing = Routes(
      GET / "at-once" to { throw full; "".ok },
      (GET / "later" + request) to (_ => await()),
      (GET / "derived" + request) to (_ => await())
    )
    // the wrapper reports the failure of a request that it has made of the one received
    val wrapped: Handler = request =>
      if (request.path == "/derived") refusing(request.withHeader("X-More", "1")) else refusing(request)
    for (handler <- List[Handler](refusing, refusing.mapResponse((_, response) => response), wrapped)) {
      val wire = new FakeWire(handler, ServerConfig(log = Log.none))
      for (path <- List("at-once", "later", "derived")) {
        wire.send(s"GET /$path HTTP/1.1\r\nHost: a\r\n\r\n")
        // another request is the loop's current one when the reply comes
        if (later.nonEmpty) new FakeWire(_ => Response.ok, wire.context.config, wire).send(
          "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        later.foreach(_.fail(full))
        later = Nil
        assertEquals(wire.turn().statuses, List(503))
      }
      val found = mutable.ListBuffer.empty[(String, Long, Long)]
      wire.context.admission.foreach { state =>
        if (state.refused.sum > 0)
          found += ((state.route.template, state.refused.sum, state.latencies.count))
      }
      assertEquals(
        found.toList.sorted,
        List(("/at-once", 1L, 0L), ("/derived", 1L, 0L), ("/later", 1L, 0L))
      )
    }
  }

  test(
    "what is put around routes may refuse also what no route is found for, on a loop that has found none yet"
  ) {
    val routes = Routes(GET / "a" to "a".ok).around { (request, next) =>
      if (request.path == "/a") next() else Async.fail(new Rejected("full"))
    }
    val wire                               = new FakeWire(routes, ServerConfig(log = Log.none))
    def refused: Map[String, (Long, Long)] = {
      val found = mutable.Map.empty[String, (Long, Long)]
      wire.context.admission.foreach(state =>
        found(state.route.template) = (state.refused.sum, state.byStatus.of(503))
      )
      found.toMap
    }
    def ask(path: String) = wire.send(s"GET $path HTTP/1.1\r\nHost: a\r\n\r\n").statuses
    assertEquals(ask("/nowhere"), List(503))
    assertEquals(refused, Map("" -> ((1L, 1L))))
    assertEquals(ask("/a"), List(200))
    assertEquals(ask("/nowhere"), List(503))
    assertEquals(refused, Map("" -> ((2L, 2L)), "/a" -> ((0L, 0L))))
  }

  /** @param between runs after each request has been received */
  private def check(handler: Handler, between: () => Unit = () => ()): Unit = {
    val seen = mutable.ListBuffer.empty[(Int, Option[String])]
    val wire = new FakeWire(
      handler,
      ServerConfig(
        log = Log.none,
        accessLog =
          Some((request: Request, status: Int, _: Long, _: Long) => seen += ((status, request.route)))
      )
    )
    for ((line, expected) <- cases) {
      wire.send(s"$line HTTP/1.1\r\nHost: a\r\n\r\n")
      between()
      wire.turn()
      assertEquals[Any, Any](seen.lastOption, Some(expected), line)
    }
    val counted = mutable.Map.empty[(Int, Option[String]), Long]
    wire.context.admission.foreach { state =>
      for ((status, count) <- state.byStatus.all) counted((status, state.route.label)) = count
    }
    val expected = cases.map { case (_, (status, route)) => (status, route: Option[String]) }
    assertEquals[Any, Any](
      counted.toMap,
      expected.groupBy(identity).map { case (k, all) => k -> all.size.toLong }
    )
  }

  test("the access log and the counts have the route of a request that a part of it has refused") {
    check(routes)
  }

  test("also around the routes, and for a handler that calls them, at once or later") {
    check(routes.mapResponse((_, response) => response))
    check(Handler(request => routes(request)))
    var waiting = new AsyncPromise[Unit]
    check(
      Handler { request =>
        waiting.flatMap { _ =>
          routes(request) match {
            case response: Response => Async.value(response)
            case later: Reply.Later => later.response
          }
        }
      },
      () => {
        val now = waiting
        waiting = new AsyncPromise[Unit]
        now.succeed(())
        ()
      }
    )
  }

  test("the time until a refusal is not the duration of a request, also if wrappers change the response") {
    val promises                  = mutable.ListBuffer.empty[AsyncPromise[Response]]
    def answer(): Async[Response] = {
      promises += new AsyncPromise[Response]
      promises.last
    }
    def named(response: Response) = response.header("X-Server", "one")
    val routes  = Routes(GET / "waits" to answer()).mapResponse((_, response) => named(response))
    val handler = Handler((_: Request) => answer()).mapResponse((_, response) => named(response))
    val config  = OverloadConfig(initialInFlight = 2, leastInFlight = 1, grace = Duration.Zero)
    val title   = Handler("named", Priority.Normal)((_: Request) => answer())
    // it changes the responses of routes without being known as a wrapper
    val open             = Routes(GET / "waits" to answer())
    val outside: Handler = request =>
      open(request) match {
        case later: Reply.Later => new Reply.Later(later.response.map(named))
        case response: Response => named(response)
      }
    val all = Seq[Handler](routes, handler, title.mapResponse((_, response) => named(response)), outside)
    for (one <- all) {
      promises.clear()
      val wire = new FakeWire(one, ServerConfig(log = Log.none, overload = config))
      wire.send("GET /waits HTTP/1.1\r\nHost: a\r\n\r\n" * 3)
      for (_ <- 1 to 11) {
        wire.after(100.millis)
        wire.context.admission.tick()
      }
      wire.turn()
      promises.foreach(_.succeed("done".ok))
      val output = wire.turn().output
      assertEquals("X-Server: one".r.findAllIn(output).size, 3, output)
      var timed, refused = 0L
      wire.context.admission.foreach { state =>
        timed += state.latencies.count
        refused += state.refused.sum
      }
      assertEquals((timed, refused), (2L, 1L), output)
    }
  }

  test(
    "the same where a limit of the route refuses, at once or later, and a plain handler changes the response"
  ) {
    def named(response: Response)    = response.header("X-Server", "one")
    def changed(reply: Reply): Reply = reply match {
      case later: Reply.Later => new Reply.Later(later.response.map(named))
      case response: Response => named(response)
    }
    val all = Seq[(String, Routes => Handler)](
      "called"  -> (routes => Handler(request => changed(routes(request)))),
      "plain"   -> (routes => (request: Request) => changed(routes(request))),
      "wrapped" -> (_.mapResponse((_, response) => named(response)))
    )
    for ((how, wrap) <- all) {
      val loop     = new ManualLoop
      val promises = mutable.ListBuffer.empty[AsyncPromise[Response]]

      def answer(): Async[Response] = {
        promises += new AsyncPromise[Response]
        promises.last
      }
      // one runs, one waits for too long, and one is refused at once
      val routes = Routes(GET / "waits" to answer()).limit(1, queue = 1, queueTime = 1.second)
      val wire   = new FakeWire(wrap(routes), ServerConfig(log = Log.none))
      loop.within(wire.send("GET /waits HTTP/1.1\r\nHost: a\r\n\r\n" * 3))
      for (_ <- 1 to 20) {
        loop.advance(100.millis)
        loop.within(wire.after(100.millis))
      }
      loop.within {
        promises.foreach(_.succeed("done".ok))
        wire.turn()
      }
      loop.runAll()
      val output = loop.within(wire.turn().output)
      assertEquals("X-Server: one".r.findAllIn(output).size, 3, s"$how: $output")
      assertEquals("HTTP/1.1 503".r.findAllIn(output).size, 2, s"$how: $output")
      var timed, refused = 0L
      wire.context.admission.foreach { state =>
        timed += state.latencies.count
        refused += state.refused.sum
      }
      assertEquals((timed, refused), (1L, 2L), how)
    }
  }

  /** One request at a time within the adaptive limit of a route. */
  private val oneInFlight = ServerConfig(
    log = Log.none,
    overload = OverloadConfig(
      grace = Duration.Zero,
      initialInFlight = 1,
      leastInFlight = 1,
      retryAfter = 7.seconds
    )
  )

  test("what routes answer themselves waits for room as well where code is around them") {
    for (what <- List("GET /nowhere", "PUT /page", "NONE /page", "OPTIONS /page", "GET /users/x")) {
      val calls  = mutable.ListBuffer.empty[AsyncPromise[Response]]
      val around = routes.around { (_, next) =>
        calls += new AsyncPromise[Response]
        calls.last.flatMap(_ => next())
      }
      val first = new FakeWire(around, oneInFlight)
      val all   = first :: List.fill(9)(new FakeWire(around, oneInFlight, first))
      all.foreach(_.send(s"$what HTTP/1.1\r\nHost: a\r\n\r\n"))
      assertEquals(calls.size, 1, what)
      val real = new FakeWire(around, oneInFlight, first)
      real.send("GET /page?n=1 HTTP/1.1\r\nHost: a\r\n\r\n")
      assertEquals(calls.size, 2, what)
      var n = 0
      while (n < calls.size) {
        calls(n).succeed(Response.ok)
        for (_ <- 1 to 3) (real :: all).foreach(_.turn())
        n += 1
      }
      assertEquals(calls.size, 11, what)
      assertEquals(real.statuses, List(200))
      val alone = new FakeWire(routes, oneInFlight).send(s"$what HTTP/1.1\r\nHost: a\r\n\r\n").statuses
      all.foreach(wire => assertEquals(wire.statuses, alone, what))
      assertEquals(first.context.admission.inFlight, 0)
    }
  }

  test("a response is mapped once, also where a request that was held is refused by what its handler asks") {
    for (isNamed <- List(true, false)) {
      val first                   = new AsyncPromise[Response]
      var calls                   = 0
      var mapped                  = List.empty[Int]
      def answer: Async[Response] = {
        calls += 1
        if (calls == 1) first else Async.fail(new Rejected("full"))
      }
      val handler: Handler =
        if (isNamed) Handler("/a", Priority.Normal)((_: Request) => answer)
        else Handler((_: Request) => answer)
      val wire = new FakeWire(
        handler.mapResponse { (_, response) =>
          mapped = response.status.code :: mapped
          response
        },
        oneInFlight
      )
      wire.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n" * 2)
      assertEquals(calls, 1)
      first.succeed(Response.ok)
      for (_ <- 1 to 3) wire.turn()
      assertEquals(wire.statuses, List(200, 503))
      assertEquals(mapped, List(503, 200))
    }
  }

  test("the same where a bulkhead refuses a request that has waited for its route's adaptive limit") {
    for (
      wrap <- Seq[Routes => Routes](routes => routes, _.mapResponse((_, r) => r.header("X-Server", "one")))
    ) {
      val first  = new AsyncPromise[Response]
      val second = new AsyncPromise[Response]
      val routes = wrap(Routes(
        GET / "a" + request to (_ => first: Async[Response]),
        GET / "b" + request to (_ => second: Async[Response])
      ).limit(1))
      val a = new FakeWire(routes, oneInFlight)
      a.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n" * 2)
      assertEquals(a.output, "")
      first.succeed("done".ok)
      val b = new FakeWire(routes, oneInFlight, neighbour = a)
      b.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n") // takes the only place
      val output = a.turn().output
      assert(output.contains(" 503 ") && output.contains("Retry-After: 7\r\n"), output)
      a.context.admission.foreach { state =>
        if (state.route.template == "/a")
          assertEquals((state.refused(Refusal.Bulkhead), state.latencies.count), (1L, 1L), output)
      }
    }
  }

  test("a request that has waited belongs to the routes that its route calls, which may refuse it") {
    val place = new AsyncPromise[Response]
    val first = new AsyncPromise[Response]
    var calls = 0
    val inner = Routes(GET / arg[String] to (_ => place: Async[Response])).limit(1)
    val outer = Routes(
      GET / "out" + request to { r =>
        calls += 1
        if (calls == 1) new Reply.Later(first) else inner(r)
      },
      GET / "other" + request to (r => inner(r))
    )
    val a = new FakeWire(outer, oneInFlight)
    a.send("GET /out HTTP/1.1\r\nHost: a\r\n\r\n" * 2)
    assertEquals((a.output, calls), ("", 1)) // the second waits for the limit of its route
    val b = new FakeWire(outer, oneInFlight, neighbour = a)
    b.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n") // takes the only place
    first.succeed("done".ok)
    val output = a.turn().turn().output
    assert(output.contains(" 503 ") && output.contains("Retry-After: 7\r\n"), output)
    assertEquals(calls, 2)
    a.context.admission.foreach { state =>
      val counts = (state.refused(Refusal.Bulkhead), state.latencies.count, state.byStatus.all.toMap)
      if (state.route.template == "/out") assertEquals(counts, (0L, 1L, Map(200 -> 1L)))
      if (state.route.template.startsWith("/{")) assertEquals(counts, (1L, 0L, Map(503 -> 1L)))
    }
  }

  test("the limit of a route holds for what it passes on to other routes, at once or later") {
    val calls: Seq[(Request, Routes) => Reply] = Seq(
      (r, inner) => inner(r),
      (r, inner) => new Reply.Later(Async.sleep(10.millis).flatMap(_ => inner(r).toAsync))
    )
    for (call <- calls) {
      val loop    = new ManualLoop
      val answers = mutable.ListBuffer.empty[AsyncPromise[Response]]
      val inner   = Routes(GET / arg[String] to { (_: String) =>
        answers += new AsyncPromise[Response]
        answers.last: Async[Response]
      })
      val wire = new FakeWire(Routes(GET / "out" + request to (r => call(r, inner))), oneInFlight)
      for (_ <- 1 to 2) {
        loop.within(wire.send("GET /out HTTP/1.1\r\nHost: a\r\n\r\n"))
        loop.advance(20.millis)
        loop.within(wire.after(20.millis))
      }
      assertEquals(answers.size, 1) // the second waits
      for (n <- 0 to 1) {
        loop.within(answers(n).succeed("done".ok))
        loop.within(wire.turn())
        loop.advance(20.millis)
      }
      loop.within(wire.turn())
      assertEquals("HTTP/1.1 200".r.findAllIn(wire.output).size, 2, wire.output)
      wire.context.admission.foreach { state =>
        assertEquals((state.inFlight, if (state.limit == null) 0 else state.limit.inFlight), (0, 0))
      }
    }
  }

  test("a named handler leaves a request to the route that it calls, later or after it has waited") {
    for (waits <- Seq(false, true)) {
      val go    = new AsyncPromise[Unit]
      val place = new AsyncPromise[Response]
      val inner = Routes(GET / "in" to (place: Async[Response])).limit(1)
      var calls = 0

      def later(reply: Reply): Async[Response] = reply match {
        case later: Reply.Later => later.response
        case response: Response => Async.value(response)
      }
      val named = Handler("named", Priority.Normal) { (r: Request) =>
        calls += 1
        if (!waits) go.flatMap(_ => later(inner(r)))
        else if (calls == 1) go.map(_ => "first".ok)
        else later(inner(r))
      }
      val get = "GET /in HTTP/1.1\r\nHost: a\r\n\r\n"
      // one that comes later would wait for room in its route's adaptive limit before it is in the bulkhead
      val limits =
        if (waits) oneInFlight
        else oneInFlight.copy(overload = oneInFlight.overload.copy(initialInFlight = 2, leastInFlight = 2))
      val a = new FakeWire(named, limits)

      def of(template: String): RouteState = {
        var found: RouteState = null
        a.context.admission.foreach(state => if (state.route.template == template) found = state)
        found
      }
      def inFlight = (a.context.admission.inFlight, of("named").inFlight, of("/in").inFlight)
      def limited  = (of("named").limit.inFlight, of("/in").limit.inFlight)

      a.send(if (waits) get * 2 else get)
      assertEquals((a.output, calls), ("", 1)) // a second one waits for the handler's limit
      val b = new FakeWire(inner, limits, neighbour = a)
      b.send(get) // takes the only place
      go.succeed(())
      val output = a.turn().turn().output
      assertEquals(output.contains("200 OK"), waits, output)
      assert(output.contains(" 503 ") && output.contains("Retry-After: 7\r\n"), output)
      assertEquals((inFlight, limited), ((1, 0, 1), (0, 1)), s"waits: $waits") // the one with the place
      assertEquals((of("named").refused.sum, of("/in").refused(Refusal.Bulkhead)), (0L, 1L))
      place.succeed("done".ok)
      assertEquals(b.turn().statuses, List(200))
      assertEquals((inFlight, limited), ((0, 0, 0), (0, 0)), s"waits: $waits")
      assertEquals(of("named").byStatus.all.toMap, if (waits) Map(200 -> 1L) else Map.empty[Int, Long])
      assertEquals(of("/in").byStatus.all.toMap, Map(200 -> 1L, 503 -> 1L))
      assertEquals(a.send(get).turn().statuses, List(200), "the limits have room again")
      assertEquals((inFlight, limited), ((0, 0, 0), (0, 0)), s"waits: $waits")
    }
  }

  test("what a part of a route throws while it is matched is counted and logged as that route's") {
    val part   = arg[Int]("id").map[Int](_ => throw new IllegalStateException("no"))
    val routes = Routes(GET / "x" / part to (_ => "x".ok))
    for (handler <- List[Handler](routes, routes.mapResponse((_, response) => response), routes.limit(1))) {
      var logged = List.empty[String]
      val log    = new Log {
        def warn(message: String): Unit                    = logged ::= message
        def error(message: String, cause: Throwable): Unit = logged ::= s"$message: ${cause.getMessage}"
      }
      val wire = new FakeWire(handler, ServerConfig(log = log))
      assertEquals(wire.send("GET /x/1 HTTP/1.1\r\nHost: a\r\n\r\n").statuses, List(500))
      var counted = List.empty[(String, Long)]
      wire.context.admission.foreach { state =>
        val failed = state.byStatus.of(500)
        if (failed > 0) counted ::= ((state.route.template, failed))
      }
      assertEquals(counted, List("/x/{id}" -> 1L))
      assertEquals(logged, List("a handler failed: GET /x/1 (route GET /x/{id}): no"))
    }
  }
}
