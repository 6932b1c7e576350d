package needletail.server.exchange

import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.server.session.FakeWire

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.http.{Handler, Priority, Reply}
import needletail.routing._
import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** Time limits of single routes. */
class RouteTimeoutSuite extends Suite {
  private var cancelled                = 0
  private def never(): Async[Response] = {
    val promise = new AsyncPromise[Response]
    promise.onCancel(() => cancelled += 1)
    promise
  }

  private val routes = Routes(
    (GET / "short" to never()).timeout(5.seconds),
    (GET / "long" to never()).timeout(60.seconds),
    GET / "usual" to never(),
    (POST / "body" + request to (r => r.text.map(_.ok))).timeout(5.seconds),
    (GET / "limit" + request to (r => r.timeLimit.timeLeft.map(_.toMillis).toString.ok)).timeout(5.seconds)
  )

  /** A wire and the loop, whose clocks agree. */
  private final class Timed(handler: Handler) {
    private val loop = new ManualLoop
    private val wire = new FakeWire(handler, ServerConfig(log = Log.none))
    loop.advance(wire.nowNanos.nanos)
    cancelled = 0

    def send(text: String): this.type = { loop.within(wire.send(text)); this }
    def get(path: String): this.type  = send(s"GET /$path HTTP/1.1\r\nHost: a\r\n\r\n")
    def output: String                = loop.within(wire.output)
    def within(body: => Unit): Unit   = loop.within(body)

    /** The statuses that have come after that time. */
    def after(time: FiniteDuration): List[Int]    = passing(time)(_.statuses)
    def outputAfter(time: FiniteDuration): String = passing(time)(_.output)

    private def passing[A](time: FiniteDuration)(of: FakeWire => A): A = {
      loop.advance(time)
      loop.within(of(wire.after(time)))
    }
  }

  test("a route's limit takes the place of the server's, whether it is shorter or longer") {
    for ((path, limit) <- Seq("short" -> 5, "usual" -> 30, "long" -> 60)) {
      val timed = new Timed(routes).get(path)
      assertEquals(timed.after((limit - 1).seconds), Nil, path)
      assertEquals(cancelled, 0)
      assertEquals(timed.after(1.second), List(503), path)
      assertEquals(cancelled, 1)
    }
  }

  test("the outermost of several applies, and wrappers have its response") {
    val dressed = routes.timeout(7.seconds).mapResponse((_, response) => response.header("X-Server", "one"))
    for (path <- Seq("short", "usual")) {
      val timed = new Timed(dressed).get(path)
      assertEquals(timed.after(6.seconds), Nil)
      val output = timed.outputAfter(1.second)
      assert(output.startsWith("HTTP/1.1 503 ") && output.contains("X-Server: one"), output)
    }
  }

  test(
    "it begins when the route has matched, within a handler that calls it at once or later, derived or not"
  ) {
    def later(reply: Reply): Async[Response] = reply match {
      case later: Reply.Later => later.response
      case response: Response => Async.value(response)
    }
    val called = Seq[(String, Handler, Int)](
      ("at once", (request: Request) => routes(request), 5),
      ("derived", (request: Request) => routes(request.withHeader("X-A", "b")), 5),
      ("in a handler", Handler((request: Request) => routes(request)), 5),
      (
        "later",
        Handler((request: Request) => Async.sleep(3.seconds).flatMap(_ => later(routes(request)))),
        8
      ),
      (
        "around",
        Handler("around", Priority.Normal)((r: Request) => routes(r)).around((_, next) =>
          Async.sleep(3.seconds).flatMap(_ => next())
        ),
        8
      ),
      (
        "named",
        Handler("named", Priority.Normal)((r: Request) =>
          Async.sleep(3.seconds).flatMap(_ => later(routes(r)))
        ),
        8
      )
    )
    for ((how, handler, limit) <- called) {
      val timed = new Timed(handler).get("short")
      for (_ <- 1 until limit) assertEquals(timed.after(1.second), Nil, how)
      assertEquals(timed.after(1.second), List(503), how)
      assertEquals(cancelled, 1, how)
    }
  }

  test("a read that is given up puts it off by as much as that has waited") {
    var asked: Request                   = null
    var read: Async[Option[Array[Byte]]] = null
    val stubborn                         = POST / "body" + request to { r =>
      asked = r
      read = r.body.stream.next()
      read.transform(_ => never())
    }
    val timed = new Timed(stubborn.timeout(5.seconds))
      .send("POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n")
    assertEquals(timed.after(12.seconds), Nil)
    timed.within {
      read.cancel()
      assertEquals(asked.timeLimit.timeLeft, Some(5.seconds))
    }
    assertEquals(timed.after(4.seconds), Nil)
    assertEquals(timed.after(1.second), List(503))
  }

  test("content that arrives begins it anew") {
    val head  = "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n"
    val timed = new Timed(routes).send(head)
    for (piece <- Seq("a", "b")) {
      assertEquals(timed.after(4.seconds), Nil)
      timed.send(piece)
    }
    assertEquals(timed.after(4.seconds), Nil)
    assert(timed.send("c").output.endsWith("abc"))

    val stuck = Routes(POST / "body" + request to (r => r.body.stream.next().flatMap(_ => never())))
    val outer = POST / "body" + request to (r => stuck(r))
    for (handler <- Seq(stuck.timeout(5.seconds), outer.timeout(5.seconds))) {
      val timed = new Timed(handler).send(head)
      assertEquals(timed.after(4.seconds), Nil)
      assertEquals(timed.send("a").after(4.seconds), Nil)
      assertEquals(timed.after(1.second), List(503))
    }
  }

  test("the limit of a route applies where its handler calls others with limits of their own") {
    for ((limit, others) <- Seq(5 -> 60, 60 -> 5)) {
      val inner = (GET / "a" to never()).timeout(others.seconds)
      val timed = new Timed((GET / "a" + request to (r => inner(r))).timeout(limit.seconds)).get("a")
      assertEquals(timed.after((limit - 1).seconds), Nil)
      assertEquals(timed.after(1.second), List(503))
    }
  }

  test("the limit of routes that a route calls applies also where its request has waited") {
    val first = new AsyncPromise[Response]
    var calls = 0
    val inner = (GET / "a" to never()).timeout(5.seconds)
    val outer = (GET / "a" + request to { r =>
      calls += 1
      if (calls == 1) new Reply.Later(first) else inner(r)
    }).limit(1, queue = 1, queueTime = 20.seconds)
    val timed = new Timed(outer).get("a").get("a")
    assertEquals((timed.after(1.second), calls), (Nil, 1))
    timed.within { first.succeed(Response.ok); () }
    assertEquals((timed.after(4.seconds), calls), (List(200), 2))
    assertEquals(timed.after(2.seconds), List(503))
  }

  test("a request knows it, and a limit must be above 0") {
    assert(new Timed(routes).get("limit").output.endsWith("Some(5000)"))
    for (none <- Seq(Duration.Zero, -1.second))
      assert(
        intercept[IllegalArgumentException](routes.timeout(none)).getMessage.contains("Routes.timeout.limit")
      )
  }
}
