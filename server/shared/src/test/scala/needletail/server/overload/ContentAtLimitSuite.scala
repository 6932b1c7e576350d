package needletail.server.overload

import scala.collection.mutable
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.http.{Handler, Priority, Response}
import needletail.routing._
import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.server.session.FakeWire

/** Requests with content count for their route's limit, except while their client is waited for. */
class ContentAtLimitSuite extends RouteLimitFixture {

  /** Reads a request's content, and then waits for the promise that it adds to `calls`. */
  private def collecting(calls: mutable.ArrayBuffer[AsyncPromise[Response]]) =
    Handler("/a", Priority.Normal) { request =>
      request.body.bytes.flatMap { _ =>
        calls += new AsyncPromise[Response]
        calls.last: Async[Response]
      }
    }

  test(
    "a request that was held gives its place back when its handler waits for content that has not arrived"
  ) {
    val calls          = mutable.ArrayBuffer.empty[AsyncPromise[Response]]
    val handler        = collecting(calls)
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
    val handler = collecting(calls)
    val first   = new FakeWire(handler, config)
    val held    = new FakeWire(handler, config, first)
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
}
