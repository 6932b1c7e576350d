package needletail.server.overload

import scala.collection.mutable
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise, TimedOut}
import needletail.http.{Reply, Response}
import needletail.http.admission.RouteClass
import needletail.routing._
import needletail.server.VirtualServer
import needletail.server.session.FakeWire
import needletail.testkit.ManualLoop

/** Requests that have waited give back their places within the limit, whatever their handlers return. */
class WaitingRequestsSuite extends RouteLimitFixture {
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

  test("a route whose requests have all been let in does not put back the turn of those behind it") {
    val first  = mutable.ArrayBuffer.empty[AsyncPromise[Response]]
    var order  = ""
    val wire   = new FakeWire(_ => Response.ok, config)
    val routes = Routes(List("a", "b", "c").map { name =>
      GET / name + ?("waits", arg[Boolean]) to { isFirst =>
        if (isFirst) {
          first += new AsyncPromise[Response]
          first.last: Async[Response]
        } else {
          order += name
          wire.nowNanos += 3000000 // as much as a turn may take
          Async.value(Response.ok)
        }
      }
    }: _*)
    val wires =
      List("a", "b", "c").map(_ -> new FakeWire(routes, config.copy(maxPipelined = 100), wire)).toMap
    def ask(name: String, waits: Boolean) =
      wires(name).send(s"GET /$name?waits=$waits HTTP/1.1\r\nHost: a\r\n\r\n")
    def finish() = {
      first.foreach(_.fail(noDuration))
      first.clear()
    }
    wires.keys.toList.sorted.foreach(ask(_, waits = true))
    for (_ <- 1 to 20) ask("a", waits = false)
    ask("c", waits = false)
    finish()
    for (_ <- 1 to 6) {
      val before = order.length
      wire.endTurn()
      assertEquals(order.length, before + 1)
      if (order.last == 'a') { // so one of b waits in each second turn
        ask("b", waits = true)
        ask("b", waits = false)
        finish()
      }
    }
    assert(order.take(3).contains('c'), order)
  }
}
