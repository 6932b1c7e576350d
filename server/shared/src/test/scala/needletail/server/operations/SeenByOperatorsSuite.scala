package needletail.server.operations

import needletail.server.config.ServerConfig
import needletail.server.{RawClient, Server}
import needletail.server.failure.CannotListen
import needletail.server.session.FakeWire

import java.io.IOException
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}

import scala.collection.mutable
import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.{Async, Loop, UpstreamFailure}
import needletail.http._
import needletail.http.admission.RouteClass
import needletail.io.{Address, EventLoop, EventLoops}
import needletail.server.operations.{ProcessorWait, Watchdog}
import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** Faults 14 and 18: what those who run a server get to see. */
class SeenByOperatorsSuite extends Suite {
  private val said = new ConcurrentLinkedQueue[String]
  private val log  = new Log {
    def warn(message: String): Unit                    = { said.add(message); () }
    def error(message: String, cause: Throwable): Unit = { said.add(s"$message: ${cause.getMessage}"); () }
  }

  private final class Unreachable(cause: Throwable)
      extends RuntimeException("http://users:8081: not connected", cause)
      with Answerable {
    def asHttpError: HttpError = HttpError(Status.BadGateway, "a service behind this one failed")
  }

  private final class Upstream(val upstreamReason: UpstreamFailure.Reason)
      extends RuntimeException("cache:6379: no answer within 50 ms")
      with UpstreamFailure

  private val handler: Handler = new Handler {
    private val order                                       = new RouteClass("GET", "/orders/{id}")
    private[needletail] override def routeClass: RouteClass = null
    def apply(request: Request): Reply = Gate.admit(request, order, () => answer(request))

    private def answer(request: Request): Reply = request.path match {
      case "/orders/1" => Response.ok
      case "/orders/2" => Async.unit.flatMap(_ => Async.fail(new Unreachable(new IOException("refused"))))
      case "/orders/3" => Async.sleep(1.milli).map(_ => throw new IllegalStateException("none"))
      case "/orders/4" =>
        Response.ok.stream(new ByteStream {
          private var n                          = 0
          def next(): Async[Option[Array[Byte]]] = {
            n += 1
            if (n == 1) Async.value(Some("x".getBytes))
            else Async.sleep(1.milli).map(_ => throw new IllegalStateException("no more"))
          }
          def cancel(): Unit = ()
        })
      case "/orders/51" => throw new Upstream(UpstreamFailure.TooSlow)
      case "/orders/52" => throw new Upstream(UpstreamFailure.NotCalled)
      case "/orders/53" => throw new Upstream(UpstreamFailure.Broken)
      case _            => throw new IllegalStateException("none")
    }
  }

  private def get(path: String) = s"GET $path HTTP/1.1\r\nHost: a\r\n\r\n"

  private def wire(config: ServerConfig = ServerConfig(log = log)): FakeWire = {
    said.clear()
    new FakeWire(handler, config)
  }

  private def lines: List[String] = said.toArray.toList.map(_.toString)

  test("fault 18: a handler's failure is logged with method, path and route, without the query") {
    val w = wire()
    assertEquals(w.send(get("/orders/7?token=secret")).statuses, List(500))
    assertEquals(lines, List("a handler failed: GET /orders/7 (route GET /orders/{id}): none"))
  }

  test("fault 18: so is one that fails later, and a stream") {
    var url = ""
    Await.result(
      {
        said.clear()
        val server =
          Server(handler, ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1, log = log)).start()
        url = server.url
        val client = new RawClient(server.port).send(get("/orders/3"))
        assert(client.readUntil("error").startsWith("HTTP/1.1 500 "))
        client.send(get("/orders/4")).readAll()
        client.close()
        server.close()
      },
      10.seconds
    )
    assertEquals(
      lines,
      List(
        s"$url: a handler failed: GET /orders/3 (route GET /orders/{id}): none",
        s"$url: a streamed response failed: GET /orders/4 (route GET /orders/{id}): no more"
      )
    )
  }

  test("fault 18: a 502 is logged with its cause, once a second at most") {
    val w = wire()
    assertEquals(w.send(get("/orders/2") * 3).statuses, List(502, 502, 502))
    val line = "responded 502: GET /orders/2 (route GET /orders/{id}): http://users:8081: not connected; " +
      "caused by java.io.IOException: refused"
    assertEquals(lines, List(line))
    w.nowNanos += 2.seconds.toNanos
    w.send(get("/orders/2"))
    assertEquals(lines, List(line, s"$line (and 2 more since this was last logged)"))
  }

  test("so is the failure of another server, whatever protocol it speaks") {
    for ((path, status) <- List("/orders/51" -> 504, "/orders/52" -> 503, "/orders/53" -> 502)) {
      assertEquals(wire().send(get(path)).statuses, List(status))
      assertEquals(
        lines,
        List(s"responded $status: GET $path (route GET /orders/{id}): cache:6379: no answer within 50 ms")
      )
    }
  }

  test("fault 18: the access log knows the route") {
    val seen = mutable.ListBuffer.empty[(Option[String], Int)]
    val w    = wire(
      ServerConfig(
        log = Log.none,
        accessLog = Some((request: Request, status: Int, _: Long, _: Long) =>
          seen += ((if (request == null) None else request.route, status))
        )
      )
    )
    w.send(get("/orders/1") + get("/orders/2") + get("/orders/5") + "nonsense\r\n\r\n")
    val order = Some("GET /orders/{id}")
    assertEquals(seen.toList, List((order, 200), (order, 502), (order, 500), (None, 400)))
  }

  test("fault 18: an address that is in use is one line") {
    val first =
      Server(handler, ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1, log = log)).start()
    try {
      val failed =
        try {
          Server(
            handler,
            ServerConfig(address = Address.Tcp("127.0.0.1", first.port), loops = 1, log = log)
          ).run()
          fail("it listens")
        } catch { case e: CannotListen => e }
      val printed = new java.io.StringWriter
      failed.printStackTrace(new java.io.PrintWriter(printed, true))
      assertEquals(printed.toString.trim.linesIterator.toList.size, 1, printed)
      assert(printed.toString.startsWith(s"cannot listen on 127.0.0.1:${first.port}: "), printed)
    } finally Await.result(first.close(), 20.seconds)
  }

  // The watchdog, with the clock and the loops that it looks at in our hands.

  private val threshold = 100.millis.toNanos

  private def frame(name: String, method: String) = new StackTraceElement(name, method, null, -1)

  /** One that has looked at a loop 1.9, two and three seconds after its turn began: the second look finds it, once. */
  private def watched(stack: => List[StackTraceElement], work: String, age: FiniteDuration): Watchdog = {
    said.clear()
    val turn = System.nanoTime()
    val dog  = new Watchdog(1, _ => turn, _ => stack.toArray, threshold, log, _ => work)
    dog.begun = turn - age.toNanos
    dog.look(turn + 1900.millis.toNanos)
    dog.look(turn + 2.seconds.toNanos)
    dog.look(turn + 3.seconds.toNanos)
    dog
  }

  test("fault 18: the watchdog names no route for the loading of classes soon after the start") {
    val stack =
      List(frame("java.util.zip.Inflater", "inflate"), frame("jdk.internal.loader.URLClassPath", "x"))
    assertEquals((watched(stack, "GET /work", 1.second).found(0), lines), (0L, Nil))
    assertEquals(watched(stack, "GET /work", 1.hour).found(0), 1L)
    assert(lines.head.contains("by the loading of classes") && !lines.head.contains("GET /work"), lines)
    assert(!lines.head.contains("Async.blocking"), lines)
  }

  test(
    "the watchdog blames no handler for encryption and sending, of which soon after the start it says nothing"
  ) {
    val sending = List(
      frame("com.sun.crypto.provider.GHASH", "processBlock"),
      frame("sun.security.ssl.SSLEngineImpl", "wrap"),
      frame("needletail.io.system.tls.TlsSocket", "write"),
      frame("needletail.io.ConnectionOutput", "writeNow"),
      frame("needletail.io.Connection", "write"),
      frame("needletail.server.session.ReplyWriter", "flush"),
      frame("shop.Work", "wrap")
    )
    assertEquals((watched(sending, "GET /work", 1.second).found(0), lines), (0L, Nil))
    assertEquals(watched(sending, "GET /work", 1.hour).found(0), 1L)
    val text =
      "loop 0 has been blocked for 2000 ms by the encryption and sending of output, and its connections"
    assert(lines.head.startsWith(text) && !lines.head.contains("Async.blocking"), lines)
    // code of users' that is called by it, or was at work before, is blamed
    val checking = frame("shop.Check", "apply") :: sending
    assertEquals(watched(checking, "", 1.second).found(0), 1L)
    assert(lines.head.startsWith("loop 0 has been blocked for 2000 ms outside of handlers "), lines)
    val stacks = Iterator(frame("shop.Work", "compute") :: Nil, sending)
    assertEquals(watched(stacks.next(), "GET /work", 1.hour).found(0), 1L)
    assert(lines.head.startsWith("loop 0 has been blocked for 2000 ms in GET /work, "), lines)
  }

  test("fault 18: the watchdog names a route whose handler runs, and none for what is outside of handlers") {
    assertEquals(watched(List(frame("shop.Work", "compute")), "GET /work", 1.second).found(0), 1L)
    assert(lines.head.startsWith("loop 0 has been blocked for 2000 ms in GET /work, "), lines)
    assertEquals(watched(Nil, "", 1.second).found(0), 1L)
    assert(lines.head.startsWith("loop 0 has been blocked for 2000 ms outside of handlers "), lines)
  }

  test("what a loop does after a turn that was too long is not blamed for it, and is still watched") {
    said.clear()
    val first = System.nanoTime()
    var turn  = first
    var work  = ""
    var looks = 0
    def stack = {
      looks += 1
      if (looks == 2) turn = Long.MinValue // the turn ends just before its stack is taken
      Array(frame("shop.Work", "wait"))
    }
    val dog = new Watchdog(1, _ => turn, _ => stack, threshold, log, _ => work)
    dog.look(first + 1900.millis.toNanos)
    dog.look(first + 2.seconds.toNanos)
    assertEquals((dog.found(0), lines), (1L, Nil))
    work = "GET /work"
    turn = first + 3.seconds.toNanos
    dog.look(first + 3900.millis.toNanos)
    dog.look(first + 4.seconds.toNanos)
    assertEquals(dog.found(0), 2L)
    assert(lines.head.startsWith("loop 0 has been blocked for 1000 ms in GET /work, "), lines)
    assert(lines.head.contains("(and 1 times more since this was last logged)"), lines)
  }

  test(
    "a loop that waits for a processor is not blocked for that long, and the log says how long it waited"
  ) {
    // what is known at each look at the turn from the second on, in milliseconds
    def lookedAt(waited: Long*): Watchdog = {
      said.clear()
      val turn   = System.nanoTime()
      val delays = waited.map(_ * 1000000).iterator
      val dog    =
        new Watchdog(
          1,
          _ => turn,
          _ => Array.empty,
          threshold,
          log,
          _ => "GET /work",
          (_, _) => delays.next()
        )
      dog.begun = turn - 1.hour.toNanos
      for (at <- Seq(10, 60, 110, 160)) dog.look(turn + at.millis.toNanos)
      dog
    }
    assertEquals((lookedAt(7000, 7020, 7070).found(0), lines), (0L, Nil))
    assertEquals(lookedAt(7000, 7005).found(0), 1L)
    val text = "loop 0 has been blocked for 105 ms (and has waited 5 ms for a processor) in GET /work"
    assert(lines.head.startsWith(text), lines)
    assertEquals(lookedAt(7000, 7020, 7050).found(0), 1L)
    assert(lines.head.startsWith("loop 0 has been blocked for 110 ms (and has waited 50 ms "), lines)
    assertEquals(lookedAt(-1).found(0), 1L)
    assert(lines.head.startsWith("loop 0 has been blocked for 110 ms in GET /work"), lines)
  }

  test("how long a loop has waited for a processor is known on Linux") {
    val loops = new EventLoops(1, "waits", daemon = true)
    try {
      val waits = new ProcessorWait(loops(0).execute(_))
      if (new java.io.File("/proc/thread-self/schedstat").exists) eventually(waits.nanos(0) >= 0)
      else assertEquals(waits.nanos(0), -1L)
    } finally loops.stop()
  }

  test("fault 18: a route is at work while its handler runs, not when its work is elsewhere") {
    var within       = ""
    var w: FakeWire  = null
    val own: Handler = new Handler {
      private val kind                                        = new RouteClass("GET", "/work")
      private[needletail] override def routeClass: RouteClass = null
      def apply(request: Request): Reply                      = Gate.admit(
        request,
        kind,
        () => {
          within = String.valueOf(w.context.admission.runningRoute)
          Async.sleep(1.hour).map(_ => Response.ok) // as good as Async.blocking: the loop is not in it
        }
      )
    }
    w = new FakeWire(own, ServerConfig(log = Log.none))
    val loop = new ManualLoop
    loop.within { w.send(get("/work")); () }
    assertEquals(within, "GET /work")
    assertEquals(w.context.admission.runningRoute, null)
  }

  test("fault 14: uncaught exceptions on a server's loop go to its log, not to the global hook") {
    said.clear()
    val global = new ConcurrentLinkedQueue[String]
    val before = EventLoop.onFailure
    EventLoop.onFailure = (_, e) => { global.add(String.valueOf(e.getMessage)); () }
    try {
      val thrown          = new CountDownLatch(1)
      val throws: Handler = _ => {
        Loop.current.execute { () =>
          thrown.countDown()
          throw new IllegalStateException("on the loop")
        }
        Response.ok("fine")
      }
      val server =
        Server(throws, ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1, log = log)).start()
      val client = new RawClient(server.port).send(get("/"))
      assert(client.readUntil("fine").startsWith("HTTP/1.1 200 "))
      assert(thrown.await(20, TimeUnit.SECONDS))
      client.close()
      Await.result(server.close(), 20.seconds)
      assertEquals(lines, List(s"${server.url}: an exception on the event loop needletail-0: on the loop"))
      assertEquals(global.size, 0)
    } finally EventLoop.onFailure = before
  }
}
