package needletail.server.overload

import scala.collection.mutable
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise, TimedOut}
import needletail.http.{Handler, Priority, Reply, Request, Response}
import needletail.http.admission.RouteClass
import needletail.routing._
import needletail.server.VirtualServer
import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.server.session.FakeWire
import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** Requests that have waited give back their places within the limit, whatever their handlers return. */
class WaitingRequestsSuite extends Suite {
  private val route = new RouteClass("GET", "/held")

  test(
    "a request that was held takes a place within its route's limit until its reply is there, or is null"
  ) {
    val admission = new VirtualServer(OverloadConfig()).admission
    def inFlight  = {
      var count = 0
      admission.foreach(state => if (state.route.template == "/held") count += state.limit.inFlight)
      count
    }
    def reply(of: () => Reply): Async[Response] = {
      admission.beginTurn()
      admission.later(route, of) match {
        case later: Reply.Later => later.response
        case other              => fail(s"$other")
      }
    }
    val answer = new AsyncPromise[Response]
    var isHere = false
    reply(() => new Reply.Later(answer)).foreach(_ => isHere = true)
    assertEquals(inFlight, 1)
    answer.succeed(Response.ok)
    assert(isHere)
    assertEquals(inFlight, 0)
    for (faulty <- Seq[() => Reply](() => null, () => new Reply.Later(null))) {
      val result = reply(faulty).resultOrNull
      assert(result.error.isInstanceOf[NullPointerException], result.toString)
      assertEquals(inFlight, 0)
    }
  }

  private val config = ServerConfig(
    log = Log.none,
    overload = OverloadConfig(grace = Duration.Zero, initialInFlight = 1, leastInFlight = 1)
  )

  private def limitOf(wire: FakeWire): InFlightLimit = {
    var found: InFlightLimit = null
    wire.context.admission.foreach(state => if (state.route.template == "/a") found = state.limit)
    found
  }

  test("an answer that is there at once has no duration, also if its request was held") {
    val missed = new AsyncPromise[Response]
    val routes = Routes(GET / "a" +
      ?("hit", arg[Boolean]) to (hit => if (hit) Async.value(Response.ok) else missed: Async[Response]))
    val wire = new FakeWire(routes, config)
    for (hit <- List(false, true)) wire.send(s"GET /a?hit=$hit HTTP/1.1\r\nHost: a\r\n\r\n")
    wire.after(50.millis)
    missed.succeed(Response.ok)
    assertEquals(wire.turn().turn().statuses, List(200, 200))
    assert(limitOf(wire).allowed >= 75.millis.toNanos, limitOf(wire).allowed)
  }

  test(
    "the time of a handler that fails with what is no failure of the server counts, also if its request was held"
  ) {
    for (cause <- List[Throwable](HttpError(Status.NotFound, "no such order"), new TimedOut(1.second))) {
      val calls = List.fill(2)(new AsyncPromise[Response])
      val next  = calls.iterator
      val wire  = new FakeWire(GET / "a" to { next.next(): Async[Response] }, config)
      wire.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n" * 2)
      calls.head.fail(
        new IllegalStateException("no duration")
      ) // so nothing is known of the route's durations
      wire.turn().turn()
      wire.after(50.millis)
      calls.last.fail(cause)
      wire.turn().turn()
      assert(limitOf(wire).allowed >= 75.millis.toNanos && limitOf(wire).allowed < 1.second.toNanos, cause)
    }
  }

  test("the time of a handler that the server has ended counts, also if its request was held") {
    val first = new AsyncPromise[Response]
    var calls = 0
    val route = GET / "a" to {
      calls += 1
      if (calls == 1) first else new AsyncPromise[Response]: Async[Response]
    }
    val wire = new FakeWire(route, config)
    wire.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n" * 2)
    first.fail(new IllegalStateException("no duration")) // so nothing is known of the route's durations
    wire.turn().turn()
    assertEquals(calls, 2)
    assertEquals(wire.after(31.seconds).turn().statuses.last, 503)
    assert(limitOf(wire).allowed >= 1.second.toNanos, limitOf(wire).allowed)
  }

  /** A handler that fails so leaves the limit as it is. */
  private def noDuration = new IllegalStateException("no duration")

  private def post(length: Int, content: String) =
    s"POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: $length\r\n\r\n$content"

  test(
    "a request that was held gives its place back when its handler waits for content that has not arrived"
  ) {
    val calls   = mutable.ArrayBuffer.empty[AsyncPromise[Response]]
    val handler = Handler("/a", Priority.Normal) { request =>
      request.body.bytes.flatMap { _ =>
        calls += new AsyncPromise[Response]
        calls.last: Async[Response]
      }
    }
    val first          = new FakeWire(handler, config)
    def more(n: Int)   = List.fill(n)(new FakeWire(handler, config, first))
    val (slow, honest) = (more(1), more(2))
    val all            = first :: slow ::: honest
    def turns()        = for (_ <- 1 to 3) all.foreach(_.turn())
    def answer(n: Int) = {
      calls(n).fail(noDuration)
      turns()
    }
    first.send(post(1, "x"))
    assertEquals((calls.size, limitOf(first).inFlight), (1, 1))
    slow.foreach(_.send(post(10, "x")))
    honest.foreach(_.send(post(1, "x")))
    answer(0)
    assertEquals((calls.size, limitOf(first).inFlight), (2, 1), "one whose content was there")
    answer(1)
    assertEquals((calls.size, limitOf(first).inFlight), (3, 1))
    answer(2)
    assertEquals(limitOf(first).inFlight, 0)
    slow.foreach(_.send("y" * 9))
    answer(3)
    assertEquals(all.map(_.statuses), List.fill(4)(List(500)))
    assertEquals(limitOf(first).inFlight, 0)
  }

  test("a request counts for its route's limit although its handler does not read its content") {
    val missed = new AsyncPromise[Response]
    val wire   = new FakeWire(GET / "a" to { missed: Async[Response] }, config)
    wire.send("GET /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx")
    assertEquals(limitOf(wire).inFlight, 1)
    wire.after(50.millis)
    missed.succeed(Response.ok)
    assertEquals(wire.turn().statuses, List(200))
    assertEquals(limitOf(wire).inFlight, 0)
    assert(limitOf(wire).allowed >= 75.millis.toNanos && limitOf(wire).allowed < 1.second.toNanos)
  }

  /** Steps that are over when the test says so. */
  private final class Steps {
    private val open = mutable.Queue.empty[AsyncPromise[Unit]]

    def step(): Async[Unit] = {
      open += new AsyncPromise[Unit]
      open.last
    }
    def finish(): Unit = while (open.nonEmpty) open.dequeue().succeed(())
  }

  test("a request counts from when its content has been delivered, and not while its handler waits for it") {
    val steps  = new Steps
    val passed = Filter("user")(_ => steps.step().map(_ => Right("u"): Either[Response, String]))
    var calls  = 0

    def answer(): Async[Response] = {
      calls += 1
      new AsyncPromise[Response]
    }
    val all = List[Handler](
      POST / "a" + Body[String] to (_ => answer()),
      POST / "a" + passed + Body[String] to { case (_, _) => answer() },
      Handler("/a", Priority.Normal)(_.body.bytes.flatMap(_ => answer()))
    )
    for (handler <- all) {
      calls = 0
      val wire = new FakeWire(handler, config)

      wire.send(post(10, "x"))
      steps.finish()
      wire.turn()
      assertEquals((calls, limitOf(wire).inFlight), (0, 0))
      wire.send("y")
      assertEquals((calls, limitOf(wire).inFlight), (0, 0), "a slow client takes no place")
      wire.send("y" * 8)
      assertEquals((calls, limitOf(wire).inFlight), (1, 1))
      wire.session.peerGone()
      assertEquals(limitOf(wire).inFlight, 0)
    }
  }

  test("a request whose content fails or is given up counts while its handler goes on") {
    val answers = mutable.ArrayBuffer.empty[AsyncPromise[Response]]

    def answer(): Async[Response] = {
      answers += new AsyncPromise[Response]
      answers.last
    }
    var read: Async[Array[Byte]] = null
    val wire                     = new FakeWire(
      Handler("/a", Priority.Normal) { request =>
        read = request.body.bytes
        read.map(_ => ()).recoverWith { case _ => Async.value(()) }.flatMap(_ => answer())
      },
      config.copy(bodyTimeout = 1.second)
    )
    wire.send(post(10, "x"))
    assertEquals((answers.size, limitOf(wire).inFlight), (0, 0))
    wire.after(2.seconds)
    assertEquals((answers.size, limitOf(wire).inFlight), (1, 1))
    answers.head.succeed(Response.ok)
    wire.turn()
    assertEquals(limitOf(wire).inFlight, 0)
  }

  test("a request that was held counts again when its content has been delivered") {
    val calls   = mutable.ArrayBuffer.empty[AsyncPromise[Response]]
    val handler = Handler("/a", Priority.Normal) { request =>
      request.body.bytes.flatMap { _ =>
        calls += new AsyncPromise[Response]
        calls.last: Async[Response]
      }
    }
    val first = new FakeWire(handler, config)
    val held  = new FakeWire(handler, config, first)
    first.send(post(1, "x"))
    held.send(post(10, "x"))
    calls(0).fail(noDuration)
    for (_ <- 1 to 3) List(first, held).foreach(_.turn())
    assertEquals((calls.size, limitOf(first).inFlight), (1, 0))
    held.send("y" * 9)
    assertEquals((calls.size, limitOf(first).inFlight), (2, 1))
    calls(1).fail(noDuration)
    for (_ <- 1 to 3) List(first, held).foreach(_.turn())
    assertEquals(limitOf(first).inFlight, 0)
  }

  /** How many calls wait at most, in the last second of four, for a service that is offered five times its capacity. */
  private def standing(parts: List[String]): Int = {
    var wire: FakeWire = null
    val calls          = mutable.Queue.empty[AsyncPromise[Response]]
    val working        = mutable.Queue.empty[(Long, AsyncPromise[Response])]

    def answer(): Async[Response] = {
      calls += new AsyncPromise[Response]
      calls.last
    }
    val routes = Routes(
      POST / "a" + Body[String] to (_ => answer()),
      GET / "a" to answer()
    )
    val standard = ServerConfig(log = Log.none, overload = OverloadConfig(grace = Duration.Zero))
    wire = new FakeWire(routes, standard)
    var most  = 0
    var wires = List.empty[FakeWire]
    for (milli <- 1 to 4000) {
      wire.nowNanos += 1000000
      if (milli % 100 == 0) wire.context.admission.tick()
      while (working.nonEmpty && working.head._1 <= wire.nowNanos) working.dequeue()._2.succeed(Response.ok)
      for (_ <- 1 to 5) { // of which it can serve one
        val client = new FakeWire(routes, standard, wire)
        client.nowNanos = wire.nowNanos
        parts.foreach(client.send)
        wires = client :: wires
      }
      wire.turn()
      wires.foreach(client => if (client.isWoken) client.turn())
      wires = wires.filter(client => client.writtenInAll == 0)
      while (working.size < 20 && calls.nonEmpty) working += ((wire.nowNanos + 20000000, calls.dequeue()))
      if (milli > 3000) most = most.max(calls.size)
    }
    most
  }

  for (
    (name, parts) <- List(
      "a GET without content"         -> List("GET /a HTTP/1.1\r\nHost: a\r\n\r\n"),
      "a GET with a byte not read"    -> List("GET /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"),
      "a POST with its content"       -> List(post(2, "xy")),
      "a POST whose content is later" -> List(post(2, ""), "xy")
    )
  )
    test(s"a service is offered five times what it can do, and its queue is limited: $name") {
      val most = standing(parts)
      assert(most < 100, most)
    }

  test("routes that are called after an asynchronous step have their limit, and wait for room in it") {
    val steps  = new Steps
    val calls  = mutable.ArrayBuffer.empty[AsyncPromise[Response]]
    val routes = Routes(GET / "a" to {
      calls += new AsyncPromise[Response]
      calls.last: Async[Response]
    })
    val outside = Handler { (request: Request) =>
      steps.step().flatMap { _ =>
        routes(request) match {
          case later: Reply.Later => later.response
          case response: Response => Async.value(response)
        }
      }
    }
    val three  = config.copy(overload = config.overload.copy(maxInFlight = 3))
    val first  = new FakeWire(outside, three)
    val all    = first :: List.fill(2)(new FakeWire(outside, three, first))
    def turn() = for (_ <- 1 to 3) {
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
    val outside = Handler { (request: Request) =>
      steps.step().flatMap { _ =>
        routes(request) match {
          case later: Reply.Later => later.response
          case response: Response => Async.value(response)
        }
      }
    }
    val one   = config.copy(overload = config.overload.copy(maxInFlight = 1))
    val first = new FakeWire(outside, one)
    val all   = first :: List.fill(2)(new FakeWire(outside, one, first))

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

  test("of many routes that requests wait for, a turn serves a few milliseconds' worth") {
    var wire: FakeWire = null
    var events         = ""
    val first          = mutable.ArrayBuffer.empty[AsyncPromise[Response]]
    val routes         = Routes((0 until 50).map { n =>
      GET / s"r$n" + ?("waits", arg[Boolean]) to { isFirst =>
        if (isFirst) {
          first += new AsyncPromise[Response]
          first.last: Async[Response]
        } else {
          events += "h"
          wire.nowNanos += 1000000 // a millisecond
          Async.value(Response.ok)
        }
      }
    }: _*)
    wire = new FakeWire(routes, config.copy(maxPipelined = 200))
    wire.writing = () => events += "w"
    wire.send((for (waits <- List(true, false); n <- 0 until 50)
      yield s"GET /r$n?waits=$waits HTTP/1.1\r\nHost: a\r\n\r\n").mkString)
    assertEquals(first.size, 50)
    val other = new FakeWire(routes, config, wire)
    first.foreach(_.succeed(Response.ok))
    var turns = 0
    while (events.count(_ == 'h') < 50) {
      val before = events.count(_ == 'h')
      wire.endTurn()
      val ran = events.count(_ == 'h') - before
      assert(ran <= 3, ran) // of 2.5 ms
      turns += 1
      assert(turns < 200)
    }
    wire.turn().turn()
    assertEquals(wire.statuses, List.fill(100)(200))
    assertEquals(other.statuses, Nil)
  }

  test("none that arrives overtakes those that wait for room in their route") {
    val calls  = mutable.ArrayBuffer.empty[AsyncPromise[Response]]
    var order  = List.empty[String]
    val routes = Routes(GET / "a" + ?("n", arg[String]) to { n =>
      order :+= n
      calls += new AsyncPromise[Response]
      calls.last: Async[Response]
    })
    val first          = new FakeWire(routes, config)
    val later          = new FakeWire(routes, config, first)
    def ask(n: String) = s"GET /a?n=$n HTTP/1.1\r\nHost: a\r\n\r\n"
    first.send(ask("1") + ask("2"))
    calls(0).fail(noDuration) // before the end of the turn, in which the second is admitted, comes the third
    later.send(ask("3"))
    first.turn()
    assertEquals(order, List("1", "2"))
    calls(1).fail(noDuration)
    first.turn()
    later.turn()
    assertEquals(order, List("1", "2", "3"))
    calls(2).fail(noDuration)
    later.turn()
    assertEquals((first.statuses, later.statuses), (List(500, 500), List(500)))
  }

  test("requests that waited for their route run in pieces, with a turn of the loop between them") {
    val waits          = new AsyncPromise[Response]
    var wire: FakeWire = null
    var events         = ""
    val routes         = Routes(
      GET / "a" + ?("waits", arg[Boolean]) to { isFirst =>
        if (isFirst) waits
        else {
          events += "h"
          wire.nowNanos += 1000000 // a millisecond
          Async.value(Response.ok)
        }
      }
    )
    wire = new FakeWire(routes, config)
    wire.writing = () => events += "w"
    wire.send((true :: List.fill(8)(false)).map(is =>
      s"GET /a?waits=$is HTTP/1.1\r\nHost: a\r\n\r\n"
    ).mkString)
    waits.succeed(Response.ok)
    wire.turn().turn()
    assertEquals(wire.statuses, List.fill(9)(200))
    assert(!events.contains("hhhh") && events.count(_ == 'h') == 8, events) // of 2.5 ms
  }

  test(
    "the time that a request waits in a bulkhead of its route is not that of its handler, also if it was held"
  ) {
    val loop     = new ManualLoop
    val calls    = mutable.ArrayBuffer.empty[AsyncPromise[Response]]
    def handle() = {
      calls += new AsyncPromise[Response]
      calls.last: Async[Response]
    }
    val routes = Routes(
      GET / "a" to handle(),
      (GET / "b" to handle()).withoutAdaptiveLimit
    ).limit(2, queue = 9, queueTime = 1.minute)
    for (limit <- List(1, 2)) loop.within {
      calls.clear()
      val roomy   = config.copy(overload = config.overload.copy(initialInFlight = limit))
      val first   = new FakeWire(routes, roomy)
      val wires   = first :: List.fill(3)(new FakeWire(routes, roomy, first))
      def turns() = {
        loop.runAll()
        for (_ <- 1 to 3) wires.foreach(_.turn())
      }
      def answer(n: Int) = {
        if (n == 0) calls(n).fail(noDuration) else calls(n).succeed(Response.ok)
        turns()
      }
      for ((path, wire) <- List("a", "b", "a", "b").zip(wires))
        wire.send(s"GET /$path HTTP/1.1\r\nHost: a\r\n\r\n")
      turns()
      assertEquals((calls.size, limitOf(first).inFlight), (2, 1), limit)
      first.after(5.seconds)
      wires.tail.foreach(_.after(5.seconds))
      answer(0) // with a limit of 1 the second of /a is let in, behind the second of /b
      assertEquals((calls.size, limitOf(first).inFlight), (3, if (limit == 1) 0 else 1), limit)
      answer(1)
      assertEquals((calls.size, limitOf(first).inFlight), (4, 1), limit)
      wires.foreach(_.after(50.millis))
      answer(2)
      answer(3)
      assertEquals(limitOf(first).inFlight, 0)
      assertEquals(limitOf(first).allowed, 75.millis.toNanos, limit)
      assertEquals(wires.map(_.statuses.head), List(500, 200, 200, 200))
    }
  }
}
