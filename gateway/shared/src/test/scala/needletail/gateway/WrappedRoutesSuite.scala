package needletail.gateway

import scala.collection.mutable
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.http.{ByteStream, Handler, Reply}
import needletail.routing._
import needletail.server._
import needletail.server.session.FakeWire
import needletail.testing.Suite

/** Fault 16: routes under load, with something around them. Here, since both routes and a server are needed. */
class WrappedRoutesSuite extends Suite {
  private val waiting = mutable.ListBuffer.empty[AsyncPromise[Response]]
  private val failed  = mutable.ListBuffer.empty[String]

  private val log = new Log {
    def warn(message: String): Unit                    = failed += message
    def error(message: String, cause: Throwable): Unit = failed += s"$message: ${cause.getMessage}"
  }

  private val routes = Routes(
    (GET / "health" to "fine".ok).priority(Priority.Critical),
    (GET / "waits" + request) to { _ =>
      val promise = new AsyncPromise[Response]
      waiting += promise
      promise: Async[Response]
    },
    GET / "orders" / arg[Long]("id") to (id =>
      if (id == 0) throw new IllegalStateException("none") else s"$id".ok
    )
  )

  private def mark(response: Response): Response = response.header("X-Mark", "1")

  /** What people put around routes, by the means there are. */
  private val wrappers: List[(String, Handler)] = List(
    "nothing"                -> routes,
    "mapResponse"            -> routes.mapResponse((_, response) => mark(response)),
    "around"                 -> routes.around((_, next) => next().map(mark)),
    "an asynchronous around" -> routes.around((_, next) => Async.unit.flatMap(_ => next()).map(mark)),
    "recover"                -> routes.recover { case e: ArithmeticException => e.getMessage.badRequest },
    "a function"             -> Handler((request: Request) => routes(request).map(mark)),
    "a class"          -> new Handler { def apply(request: Request): Reply = routes(request).map(mark) },
    "a function twice" -> {
      val inner = Handler((request: Request) => routes(request))
      Handler((request: Request) => inner(request))
    },
    "a named function" -> Handler("mine", Priority.Low)((request: Request) => routes(request)),
    "another request"  -> Handler((request: Request) => routes(request.withHeader("X-User", "7")).map(mark)),
    "mapResponse of a function" -> Handler((request: Request) => routes(request))
      .mapResponse((_, response) => mark(response))
  )

  private def get(path: String) = s"GET $path HTTP/1.1\r\nHost: a\r\n\r\n"

  private def wire(handler: Handler, overload: OverloadConfig, timeout: FiniteDuration = 1.minute) = {
    waiting.clear()
    failed.clear()
    new FakeWire(
      handler,
      ServerConfig(
        log = log,
        overload = overload.copy(grace = Duration.Zero),
        maxPipelined = 1000,
        handlerTimeout = timeout
      )
    )
  }

  /** Requests by what they were counted as. */
  private def counted(w: FakeWire): Map[String, Long] = {
    val seen = mutable.Map.empty[String, Long]
    w.context.admission.foreach(s =>
      if (s.byStatus.all.nonEmpty) seen(s.route.toString) = s.byStatus.all.map(_._2).sum
    )
    seen.toMap
  }

  for ((name, handler) <- wrappers) {
    test(s"fault 16: with $name around it, /health is never refused, and counted as what it is") {
      val w = wire(handler, OverloadConfig(maxInFlight = 2))
      assertEquals(w.send(get("/nowhere")).statuses, List(404))
      w.send(get("/waits") * 3 + get("/health") * 20)
      waiting.foreach(_.succeed("waited".ok))
      assertEquals(w.turn().statuses, List(200, 200, 503) ++ List.fill(20)(200))
      assertEquals(counted(w), Map("" -> 1L, "GET /waits" -> 3L, "GET /health" -> 20L))
      assertEquals(w.context.admission.inFlight, 0)
    }

    test(s"fault 16: with $name around it, a route's own limit holds") {
      val w = wire(handler, OverloadConfig(initialInFlight = 2, leastInFlight = 1))
      w.send(get("/waits") * 3 + get("/orders/7") + get("/health"))
      assertEquals(waiting.size, 2) // the third waits until one of them has its answer
      waiting.foreach(_.succeed("waited".ok))
      w.turn()
      assertEquals(waiting.size, 3)
      waiting.foreach(_.succeed("waited".ok))
      assertEquals(w.turn().statuses, List(200, 200, 200, 200, 200))
      assertEquals(counted(w), Map("GET /waits" -> 3L, "GET /orders/{id}" -> 1L, "GET /health" -> 1L))
    }
  }

  test("fault 16: routes that are called after their handler has returned are known by their own names") {
    val before  = mutable.ListBuffer.empty[AsyncPromise[Unit]]
    val handler = Handler { (request: Request) =>
      val promise = new AsyncPromise[Unit]
      before += promise
      promise.flatMap(_ => routes(request).toAsync)
    }
    def goOn(): Unit = {
      before.foreach(_.succeed(()))
      before.clear()
    }
    val w = wire(handler, OverloadConfig(maxInFlight = 2))
    w.send(get("/nowhere"))
    goOn()
    assertEquals(w.turn().statuses, List(404))
    w.send(get("/waits") * 3 + get("/health") * 12)
    goOn()
    waiting.foreach(_.succeed("waited".ok))
    val statuses = w.turn().statuses
    assertEquals(statuses.count(_ == 503), 3, statuses) // more than two are under way: no further one
    assertEquals(statuses.drop(3), List.fill(12)(200))
    assertEquals(counted(w), Map("" -> 1L, "GET /waits" -> 3L, "GET /health" -> 12L))
    assertEquals(w.context.admission.inFlight, 0)
    w.context.admission.foreach(s => assertEquals((s.inFlight, s.route.toString), (0, s.route.toString)))
  }

  test("fault 16: refusals, timeouts and failures have the headers of mapResponse, and are logged once") {
    val w = wire(routes.mapResponse((_, r) => mark(r)), OverloadConfig(maxInFlight = 1), timeout = 1.second)
    w.send(get("/waits") + get("/waits"))
    val late = w.after(2.seconds).output
    assertEquals("HTTP/1.1 503".r.findAllIn(late).size, 2, late)
    assertEquals("X-Mark: 1".r.findAllIn(late).size, 2, late)
    val broken = w.send(get("/orders/0?token=secret")).output
    assert(broken.startsWith("HTTP/1.1 500 ") && broken.contains("X-Mark: 1"), broken)
    assertEquals(failed.toList, List("a handler failed: GET /orders/0 (route GET /orders/{id}): none"))
  }

  test("fault 16: a full bulkhead's refusal has them too, and nothing else of what is around runs for it") {
    var ran     = 0
    val limited =
      routes.limit(inFlight = 1).around { (_, next) => ran += 1; next() }.mapResponse((_, r) => mark(r))
    val w = wire(limited, OverloadConfig())
    w.send(get("/waits") + get("/orders/1"))
    waiting.foreach(_.succeed("waited".ok))
    val output = w.turn().output
    assertEquals("X-Mark: 1".r.findAllIn(output).size, 2, output)
    assert(output.contains("HTTP/1.1 503 "), output)
    assertEquals(ran, 1)
  }

  test("fault 16: refusals, timeouts and failed streams of a handler without routes have them too") {
    val own = Handler { (request: Request) =>
      if (request.path == "/stream")
        Response.ok.stream(
          ByteStream.fromIterator(Iterator.continually(throw new IllegalStateException("none")))
        ): Reply
      else new Reply.Later(new AsyncPromise[Response])
    }.mapResponse((_, r) => mark(r))
    val w = wire(own, OverloadConfig(maxInFlight = 2), timeout = 1.second)
    w.send(get("/") * 3)
    val late = w.after(2.seconds).output
    assertEquals("HTTP/1.1 503".r.findAllIn(late).size, 3, late)
    assertEquals("X-Mark: 1".r.findAllIn(late).size, 3, late)
    val broken = w.send(get("/stream")).output
    assert(broken.startsWith("HTTP/1.1 500 ") && broken.contains("X-Mark: 1"), broken)
  }

  test("fault 16: a handler that calls no routes is limited as before") {
    val own = Handler { (_: Request) =>
      val promise = new AsyncPromise[Response]
      waiting += promise
      promise: Async[Response]
    }
    val w = wire(own, OverloadConfig(maxInFlight = 2))
    w.send(get("/") * 3)
    assertEquals(waiting.size, 2)
    waiting.foreach(_.succeed("".ok))
    assertEquals(w.turn().statuses, List(200, 200, 503))
    assertEquals(counted(w), Map("* *" -> 3L))
  }
}
