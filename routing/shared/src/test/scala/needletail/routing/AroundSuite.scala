package needletail.routing

import scala.concurrent.duration._

import needletail.async.Async
import needletail.http.Handler
import needletail.testing.Suite
import needletail.testkit._

/** Fault 16: what is put around routes. */
class AroundSuite extends Suite {
  private val who =
    Filter("who")(request => Async.value(request.header("X-Who").toRight("who?".unauthorized)))

  private val plain = Routes(
    GET / "fine" to "fine".ok,
    GET / "number" / arg[Int] to (n => s"$n".ok),
    GET / "throws" to { throw new IllegalStateException("no"); "".ok },
    GET / "refuses" to { throw HttpError(Status.Conflict, "twice"); "".ok },
    (GET / "fails" + request) to (_ =>
      Async.sleep(1.second).flatMap(_ => Async.fail(new RuntimeException("late")))
    ),
    (GET / "private" + who) to (name => name.ok),
    GET / "page" + ?("n", arg[Int]) to (n => s"$n".ok)
  )

  private val cases = List(
    Request.get("/fine")         -> 200,
    Request.get("/number/1")     -> 200,
    Request.get("/throws")       -> 500,
    Request.get("/refuses")      -> 409,
    Request.get("/fails")        -> 500,
    Request.get("/private")      -> 401,
    Request.get("/number/x")     -> 400,
    Request.get("/page?n=x")     -> 400,
    Request.delete("/fine")      -> 405,
    Request.options("/fine")     -> 204,
    Request.get("/nowhere")      -> 404,
    Request.get("/nowhere/else") -> 404
  )

  private def marked(routes: Routes): Routes =
    routes.mapResponse((request, response) => response.header("X-Mark", request.path))

  test("fault 16: every answer of routes passes through mapResponse, errors too") {
    for ((request, status) <- cases) {
      val reply = marked(plain).test(request)
      assertEquals((reply.status.code, reply.header("X-Mark")), (status, Some(request.path)), request)
    }
  }

  test("fault 16: what throws or fails is still the failure that is logged") {
    assertEquals(marked(plain).test(Request.get("/throws")).failure.map(_.getMessage), Some("no"))
    assertEquals(marked(plain).test(Request.get("/fails")).failure.map(_.getMessage), Some("late"))
    assertEquals(marked(plain).test(Request.get("/fine")).failure, None)
  }

  test("a stream is cancelled if mapResponse throws or returns null, as nobody else gets it") {
    for (isLater <- List(false, true); isNull <- List(false, true)) {
      var cancelled = 0
      val stream    = new ByteStream {
        def next(): Async[Option[Array[Byte]]] = Async.value(None)
        def cancel(): Unit                     = cancelled += 1
      }
      val response = Response.ok.stream(stream)
      val routes   = Routes(
        (GET / "stream" + request) to (_ =>
          if (isLater) Async.sleep(1.second).map(_ => response) else Async.value(response)
        )
      ).mapResponse((_, _) => if (isNull) null else throw new NoClassDefFoundError("a wrapper"))
      val reply = routes.test(Request.get("/stream"))
      assertEquals((reply.status.code, cancelled), (500, 1))
    }
  }

  test("so is one that a wrapper within makes of a refusal") {
    for (isNull <- List(false, true)) {
      var cancelled = 0
      val stream    = new ByteStream {
        def next(): Async[Option[Array[Byte]]] = Async.value(None)
        def cancel(): Unit                     = cancelled += 1
      }
      val routes = Routes(
        (GET / "slow" + request) to (_ => Async.sleep(1.second).map(_ => "slow".ok))
      ).limit(1, queue = 0).mapResponse((_, response) =>
        if (response.status == Status.ServiceUnavailable) response.stream(stream) else response
      ).mapResponse { (_, response) =>
        if (response.status != Status.ServiceUnavailable) response
        else if (isNull) null
        else throw new NoClassDefFoundError("a wrapper")
      }
      val loop  = new ManualLoop
      val first = TestReply(routes, Request.get("/slow"), loop)
      val reply = TestReply(routes, Request.get("/slow"), loop)
      assertEquals((reply.status.code, cancelled), (500, 1), s"null: $isNull")
      assertEquals(first.status.code, 200)
    }
  }

  test("wrappers see what a part of a route throws while it is matched") {
    val part   = arg[Int].map[Int](_ => throw new IllegalStateException("no"))
    val routes = Routes(GET / "x" / part to (n => s"$n".ok))
    val plain  = marked(routes).test(Request.get("/x/1"))
    assertEquals((plain.status.code, plain.header("X-Mark")), (500, Some("/x/1")))
    assertEquals(plain.failure.map(_.getMessage), Some("no"))
    val mended = marked(routes.recover { case e: IllegalStateException => e.getMessage.conflict })
      .test(Request.get("/x/1"))
    assertEquals((mended.status.code, mended.text, mended.failure), (409, "no", None))
    assertEquals(mended.header("X-Mark"), Some("/x/1"))
    var around = 0
    val seen   = routes.around { (_, next) => around += 1; next() }.test(Request.get("/x/1"))
    assertEquals((seen.status.code, around), (500, 1))
    assertEquals(routes.test(Request.get("/x/1")).failure.map(_.getMessage), Some("no"))
  }

  test("fault 16: around sees each call, may answer in its place, and next() does not fail") {
    var seen    = List.empty[String]
    val guarded = plain.around { (request, next) =>
      if (request.header("X-Stop").isDefined) Async.value("stopped".forbidden)
      else
        next().map { response =>
          seen ::= s"${request.path} ${response.status.code} ${request.route.getOrElse("-")}"
          response.header("X-Seen", "yes")
        }
    }
    for ((request, status) <- cases) {
      val reply = guarded.test(request)
      assertEquals((reply.status.code, reply.header("X-Seen")), (status, Some("yes")), request)
    }
    assertEquals(seen.size, cases.size)
    assert(seen.contains("/number/1 200 GET /number/{Integer}"), seen.mkString("\n"))
    assert(seen.contains("/nowhere 404 -"), seen.mkString("\n"))
    val stopped = guarded.test(Request.get("/throws").withHeader("X-Stop", "1"))
    assertEquals((stopped.status.code, stopped.failure), (403, None))
  }

  test("fault 16: recover answers for the failures it is defined for") {
    val mended = marked(plain.recover { case e: IllegalStateException =>
      Response(Status.Conflict).text(e.getMessage)
    })
    val reply = mended.test(Request.get("/throws"))
    assertEquals((reply.status.code, reply.text, reply.failure), (409, "no", None))
    assertEquals(reply.header("X-Mark"), Some("/throws"))
    assertEquals(mended.test(Request.get("/fails")).status.code, 500)
  }

  test("recover that is applied after others answers for the same failures, and they get its responses") {
    val conflict: PartialFunction[Throwable, Response] = { case e: IllegalStateException =>
      Response(Status.Conflict).text(e.getMessage)
    }
    var seen                         = List.empty[Int]
    def noting(in: Handler): Handler = in.around { (_, next) =>
      next().map { response => seen ::= response.status.code; response }
    }
    def check(handler: Handler, isRoutes: Boolean): Unit = {
      seen = Nil
      val reply = handler.test(Request.get("/throws"))
      assertEquals((reply.status.code, reply.text, reply.failure), (409, "no", None))
      assertEquals(reply.header("X-Mark"), Some("/throws"))
      assertEquals(seen, List(409, 409))
      if (isRoutes) assertEquals(handler.test(Request.get("/fails")).status.code, 500)
    }
    check(noting(noting(marked(plain))).recover(conflict), isRoutes = true)
    val handler = Handler((request: Request) =>
      if (request.path == "/throws") throw new IllegalStateException("no") else "fine".ok
    )
    check(
      noting(noting(handler.mapResponse((request, response) => response.header("X-Mark", request.path))))
        .recover(conflict),
      isRoutes = false
    )
  }

  test("of several recovers the one applied first comes first, wherever there are wrappers between them") {
    val failing = plain
      .recover { case _: IllegalStateException => "first".ok }
      .around((_, next) => next())
      .recover { case _: RuntimeException => "second".ok }
      .mapResponse((_, response) => response)
      .recover { case _: Throwable => "third".ok }
    assertEquals(failing.test(Request.get("/throws")).text, "first")
    assertEquals(failing.test(Request.get("/fails")).text, "second")
    assertEquals(failing.test(Request.get("/refuses")).text, "second") // HttpError is a RuntimeException
  }

  test("recover that is applied after others answers for their failures, too") {
    val failed: Async[Response] = Async.fail(new IllegalStateException("in around"))
    val around                  = plain.around((_, _) => failed)
    val mended                  = around.mapResponse((_, response) => response).recover {
      case e: IllegalStateException => e.getMessage.conflict
    }
    val reply = mended.test(Request.get("/fine"))
    assertEquals((reply.status.code, reply.text, reply.failure), (409, "in around", None))
  }

  test("next() may be called once, and says so") {
    var calls  = 0
    val routes = Routes(GET / "a" to { calls += 1; "a".ok })
    val same   = routes.around((_, next) => { val _ = next(); next() }).test(Request.get("/a"))
    val later  = routes.around((_, next) => next().flatMap(_ => next())).test(Request.get("/a"))
    for (reply <- List(same, later)) {
      assertEquals(reply.status.code, 500)
      assertEquals(reply.failure.map(_.getMessage), Some("next() was called twice for one request"))
    }
    assertEquals(calls, 2)
  }

  test("fault 16: the outermost is applied last; routes beside are left alone") {
    def adding(text: String)(routes: Routes) =
      routes.mapResponse((_, response) =>
        response.setHeader("X-Order", response.headers.get("X-Order").getOrElse("") + text)
      )
    val nested = Routes(adding("b")(adding("a")(Routes(GET / "in" to "".ok))), GET / "out" to "".ok)
    assertEquals(nested.test(Request.get("/in")).header("X-Order"), Some("ab"))
    assertEquals(nested.test(Request.get("/out")).header("X-Order"), None)
    // a request that might have been meant for any of them belongs to none
    assertEquals(nested.test(Request.get("/none")).header("X-Order"), None)
    assertEquals(nested.test(Request.delete("/in")).header("X-Order"), Some("ab"))
    assertEquals(adding("c")(nested).test(Request.get("/none")).header("X-Order"), Some("c"))
    assertEquals(adding("c")(nested).test(Request.get("/in")).header("X-Order"), Some("abc"))
  }

  test("the wrapper that is applied last sees the request first and the response last") {
    var seen                             = List.empty[String]
    def noting(text: String)(in: Routes) = in.around { (_, next) =>
      seen ::= s"$text in"
      next().map { response =>
        seen ::= s"$text out"
        response
      }
    }
    noting("outer")(noting("inner")(plain)).test(Request.get("/fine"))
    assertEquals(seen.reverse, List("outer in", "inner in", "inner out", "outer out"))
  }

  test("wrapping some routes leaves the others as they are: the same objects, compiled once") {
    val beside  = Routes(GET / "out" to "".ok)
    val wrapped = Routes(plain.mapResponse((_, response) => response), beside)
    assert(wrapped.all.last eq beside.all.head)
    assert(wrapped.all.head ne plain.all.head)
  }

  test("fault 16: a handler that is no router can have the same around it") {
    val handler = Handler((request: Request) =>
      if (request.path == "/throws") throw new IllegalStateException("no") else "fine".ok
    ).mapResponse((_, response) => response.header("X-Mark", "1"))
    assertEquals(TestReply(handler, Request.get("/")).header("X-Mark"), Some("1"))
    val failed = TestReply(handler, Request.get("/throws"))
    assertEquals((failed.status.code, failed.header("X-Mark")), (500, Some("1")))
  }

  test("fault 16: a function that answers null, or throws, is a failure") {
    val reply =
      plain.mapResponse((_, _) => throw new IllegalStateException("in around")).test(Request.get("/fine"))
    assertEquals((reply.status.code, reply.failure.map(_.getMessage)), (500, Some("in around")))
  }

  test("fault 16: CORS as the README has it") {
    val shared = plain.mapResponse { (request, response) =>
      if (request.header("Origin").contains("https://shop.example"))
        response
          .header("Access-Control-Allow-Origin", "https://shop.example")
          .header("Access-Control-Allow-Methods", response.headers.get("Allow").getOrElse("GET, POST"))
          .header("Vary", "Origin")
      else response
    }
    val preflight = shared.test(Request.options("/fine").withHeader("Origin", "https://shop.example"))
    assertEquals(preflight.header("Access-Control-Allow-Methods"), Some("GET, HEAD, OPTIONS"))
    val missing = shared.test(Request.get("/none").withHeader("Origin", "https://shop.example"))
    assertEquals(
      (missing.status.code, missing.header("Access-Control-Allow-Origin")),
      (404, Some("https://shop.example"))
    )
    assertEquals(shared.test(Request.get("/fine")).header("Vary"), None)
  }
}
