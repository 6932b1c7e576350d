package needletail.server.overload

import scala.collection.mutable
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise, TimedOut}
import needletail.http.{Handler, Reply, Request, Response}
import needletail.http.message.Status
import needletail.routing._
import needletail.server.session.FakeWire
import needletail.testkit.ManualLoop

/** The limits of routes that a handler calls after an asynchronous step. */
class LateRequestsSuite extends RouteLimitFixture {
  private def settled(reply: Reply): Async[Response] = reply match {
    case later: Reply.Later => later.response
    case response: Response => Async.value(response)
  }

  private def after(steps: Steps)(routes: Handler): Handler = Handler { (request: Request) =>
    steps.step().flatMap(_ => settled(routes(request)))
  }

  test("routes that are called after an asynchronous step have their limit, and wait for room in it") {
    val steps  = new Steps
    val calls  = mutable.ArrayBuffer.empty[AsyncPromise[Response]]
    val routes = Routes(GET / "a" to {
      calls += new AsyncPromise[Response]
      calls.last: Async[Response]
    })
    val outside = after(steps)(routes)
    val three   = config.copy(overload = config.overload.copy(maxInFlight = 3))
    val first   = new FakeWire(outside, three)
    val all     = first :: List.fill(2)(new FakeWire(outside, three, first))
    def turn()  = for (_ <- 1 to 3) {
      steps.finish()
      all.foreach(_.turn())
    }
    all.foreach(_.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n"))
    turn()
    assertEquals((calls.size, limitOf(first).inFlight), (1, 1))
    for (n <- 0 to 2) {
      calls(n).fail(noDuration)
      turn()
      assertEquals((calls.size, limitOf(first).inFlight), ((n + 2).min(3), if (n < 2) 1 else 0))
    }
    assertEquals(all.map(_.statuses), List.fill(3)(List(500)))
    assertEquals(first.context.admission.inFlight, 0)
    var inFlight = 0
    first.context.admission.foreach(inFlight += _.inFlight)
    assertEquals(inFlight, 0)
  }

  test("a refusal of a request whose route was found later is no quick answer of that route") {
    val steps   = new Steps
    val call    = new AsyncPromise[Response]
    val routes  = Routes(GET / "a" to { call: Async[Response] })
    val outside = after(steps)(routes)
    val one     = config.copy(overload = config.overload.copy(maxInFlight = 1))
    val first   = new FakeWire(outside, one)
    val all     = first :: List.fill(2)(new FakeWire(outside, one, first))

    def ask(of: FakeWire*) = {
      of.foreach(_.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n"))
      steps.finish()
    }
    ask(first)
    call.fail(noDuration)
    for (_ <- 1 to 3) first.turn()
    val unknown = limitOf(first).allowed
    ask(all.tail: _*)
    for (_ <- 1 to 3) all.foreach(_.turn())
    assertEquals(all.map(_.statuses), List(List(500), List(503), List(503)))
    assertEquals((limitOf(first).allowed, limitOf(first).inFlight), (unknown, 0))
  }

  test(
    "routes that are called after another router's 404 have their limit, also where code is around that one"
  ) {
    val calls  = mutable.ArrayBuffer.empty[AsyncPromise[Response]]
    val others = Routes(GET / "other" to Response.ok).around((_, next) => next())
    val routes = Routes(GET / "a" to {
      calls += new AsyncPromise[Response]
      calls.last: Async[Response]
    })
    def orElse(request: Request): Async[Response] = settled(others(request)).flatMap { response =>
      if (response.status == Status.NotFound) settled(routes(request)) else Async.value(response)
    }
    val steps = new Steps
    for (
      outside <- Seq[Handler](
        Handler((request: Request) => orElse(request)),
        Handler((request: Request) => steps.step().flatMap(_ => orElse(request)))
      )
    ) {
      calls.clear()
      val first = new FakeWire(outside, config)
      val all   = first :: List.fill(2)(new FakeWire(outside, config, first))
      all.foreach(_.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n"))
      steps.finish()
      for (_ <- 1 to 3) all.foreach(_.turn())
      assertEquals((calls.size, limitOf(first).inFlight), (1, 1))
    }
  }

  for (
    how <- List(
      "has waited for room in others",
      "has waited so, and then passed others without a route for it",
      "was refused by others"
    )
  )
    test(s"the limit of routes that are called later counts a request that $how") {
      val steps  = new Steps
      val waits  = new Steps
      val calls  = mutable.ArrayBuffer.empty[AsyncPromise[Response]]
      val others = Routes(GET / arg[String] to (_ => waits.step().map(_ => Response(Status.NotFound))))
      val none   = Routes(GET / "other" to Response.ok)
      val routes = Routes(GET / "a" to {
        calls += new AsyncPromise[Response]
        calls.last: Async[Response]
      })
      val outside = Handler { (request: Request) =>
        steps.step().flatMap(_ => settled(others(request))).flatMap { _ =>
          if (how.endsWith("for it")) settled(none(request)).flatMap(_ => settled(routes(request)))
          else settled(routes(request))
        }
      }
      val first  = new FakeWire(outside, config)
      val all    = List(first, new FakeWire(outside, config, first))
      def turn() = for (_ <- 1 to 3) {
        steps.finish()
        all.foreach(_.turn())
      }
      all.foreach(_.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n"))
      turn() // the second waits for the limit of the others, which counts the first
      if (how.endsWith("refused by others")) {
        first.nowNanos += 10.seconds.toNanos
        first.context.admission.tick()
        turn()
      } else {
        waits.finish()
        turn()
        calls.remove(0).fail(noDuration)
        turn()
        waits.finish()
        turn()
      }
      assertEquals((calls.size, limitOf(first).inFlight), (1, 1))
      calls(0).fail(noDuration)
      turn()
      assertEquals(limitOf(first).inFlight, 0)
      assertEquals(all.last.statuses, List(500))
    }

  private val get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

  for (
    how <- List(
      "a bulkhead, whose queue refused it",
      "a bulkhead, and has given up",
      "room in others, and has given up"
    )
  )
    test(s"the limit of routes that are called later counts a request that has waited in vain for $how") {
      val loop    = new ManualLoop
      val steps   = new Steps
      val busy    = new AsyncPromise[Response]
      val calls   = mutable.ArrayBuffer.empty[AsyncPromise[Response]]
      val givesUp = how.endsWith("up")
      val queue   = if (givesUp) 20.seconds else 1.second
      val all     = Routes(GET / arg[String] to (_ => busy: Async[Response]))
      val others  =
        if (how.startsWith("room")) all else all.withoutAdaptiveLimit.limit(1, queue = 1, queueTime = queue)
      val routes = Routes(GET / "a" to {
        calls += new AsyncPromise[Response]
        calls.last: Async[Response]
      })
      def called(request: Request): Async[Response] = {
        val tried = settled(others(request))
        if (request.path == "/first") tried
        else {
          val over =
            if (givesUp) tried.timeout(1.second).recover { case _: TimedOut => Response(Status.NotFound) }
            else tried
          over.flatMap(_ => settled(routes(request)))
        }
      }
      val outside = Handler((request: Request) => steps.step().flatMap(_ => called(request)))
      loop.within {
        val first  = new FakeWire(outside, config)
        val last   = new FakeWire(outside, config, first)
        def turn() = for (_ <- 1 to 3) {
          steps.finish()
          List(first, last).foreach(_.turn())
        }
        first.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
        turn()
        last.send(get)
        turn()
        assertEquals(calls.size, 0)
        loop.advance(2.seconds)
        turn()
        assertEquals((calls.size, limitOf(first).inFlight), (1, 1))
        calls(0).fail(noDuration)
        turn()
        assertEquals(limitOf(first).inFlight, 0)
      }
    }

  for (isLate <- List(false, true)) {
    val when = if (isLate) "later" else "at once"

    def asking(steps: Steps)(call: Request => Async[Response]): Handler = Handler { (request: Request) =>
      if (isLate) steps.step().flatMap(_ => call(request)) else call(request)
    }

    test(s"a route's limit does not count what a request does that it has refused; it was called $when") {
      val steps   = new Steps
      val call    = new AsyncPromise[Response]
      val goesOn  = new AsyncPromise[Response]
      val routes  = Routes(GET / "a" to { call: Async[Response] })
      val outside = asking(steps)(request =>
        settled(routes(request)).flatMap(response =>
          if (response.status == Status.ServiceUnavailable) goesOn else Async.value(response)
        )
      )
      val one    = config.copy(overload = config.overload.copy(maxInFlight = 1))
      val first  = new FakeWire(outside, one)
      val second = new FakeWire(outside, one, first)
      def turn() = for (_ <- 1 to 3) {
        steps.finish()
        List(first, second).foreach(_.turn())
      }
      for (wire <- List(first, second)) {
        wire.send(get)
        turn()
      }
      assertEquals(limitOf(first).inFlight, 1)
      call.fail(noDuration)
      turn()
      assertEquals(limitOf(first).inFlight, 0)
      goesOn.succeed(Response.ok)
      turn()
      assertEquals((first.statuses, second.statuses), (List(500), List(200)))
    }

    test(s"the next route is asked after a refusal, and measures the request; both are called $when") {
      val steps  = new Steps
      val busy   = new AsyncPromise[Response]
      val calls  = mutable.ArrayBuffer.empty[AsyncPromise[Response]]
      val others =
        Routes(
          GET / "other" to (busy: Async[Response]),
          GET / "a" to (busy: Async[Response])
        ).withoutAdaptiveLimit
          .limit(1)
      val routes = Routes(GET / "a" to {
        calls += new AsyncPromise[Response]
        calls.last: Async[Response]
      })
      val outside = asking(steps)(request =>
        settled(others(request)).flatMap(response =>
          if (response.status == Status.ServiceUnavailable) settled(routes(request))
          else Async.value(response)
        )
      )
      val first  = new FakeWire(outside, config)
      val all    = first :: List.fill(2)(new FakeWire(outside, config, first))
      def turn() = for (_ <- 1 to 3) {
        steps.finish()
        all.foreach(_.turn())
      }
      first.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n")
      turn()
      all.tail.foreach(_.send(get))
      turn()
      assertEquals((calls.size, limitOf(first).inFlight), (1, 1))
      for (n <- 0 to 1) {
        calls(n).succeed(Response.ok)
        turn()
      }
      assertEquals(all.tail.map(_.statuses), List(List(200), List(200)))
      var measured = 0L
      first.context.admission.foreach(state => if (state.limit != null) measured += state.latencies.count)
      assertEquals(measured, 2L)
    }
  }
}
