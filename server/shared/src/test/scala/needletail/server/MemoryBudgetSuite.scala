package needletail.server

import needletail.server.session.FakeWire

import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.io.Address
import needletail.server.config.{AdminConfig, TcpSettings}
import needletail.testing.Suite

/** What is held for clients has a bound for all of them together: `ServerConfig.memoryBudget`. */
class MemoryBudgetSuite extends Suite {
  override def munitTimeout: Duration = 3.minutes // it waits for timeouts, more than once in a test

  private val KiB = 1024

  private val whole: Handler = request =>
    if (request.method eq Method.GET) Response.ok("hi")
    else request.body.bytes.map(b => Response.ok(b.length.toString))

  private def post(length: Int)    = s"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: $length\r\n\r\n"
  private val chunked              = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
  private val get                  = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
  private def content(length: Int) = "x" * length

  // without sockets

  private def wire(handler: Handler, budget: Int): FakeWire = {
    val wire = new FakeWire(handler)
    wire.context.memory.setBound(budget.toLong, () => ())
    wire
  }

  test("fault 6: a body that is collected is held until its request is over, however that ends") {
    val answer = new AsyncPromise[Response]
    val slow   = wire(r => new Reply.Later(r.body.bytes.flatMap(_ => answer)), 1024 * KiB)
    def held   = slow.context.memory.held
    slow.send(post(100000) + content(50000))
    assert(held >= 50000, held.toString)
    slow.send(content(50000))
    assert(held >= 100000, "the handler has it")
    answer.succeed(Response.ok)
    assertEquals(slow.turn().statuses, List(200))
    assertEquals(held, 0L)
    slow.send(post(5) + "hello")
    assertEquals(held, 0L, "answered at once")
    slow.send(chunked + "5\r\nhello\r\n")
    assert(held > 0)
    slow.session.peerGone()
    assertEquals(held, 0L)
    val late = wire(whole, 1024 * KiB)
    late.send(post(100000) + content(50000))
    assertEquals(late.after(21.seconds).statuses, List(408))
    assertEquals(late.context.memory.held, 0L)
  }

  test("fault 6: where there is no memory for a body it is refused with 503, small ones are not") {
    for (head <- List(post(200 * KiB), chunked + "32000\r\n")) {
      val full = wire(whole, 128 * KiB)
      full.context.memory.add(32 * KiB) // another connection's
      val out = full.send(head + content(100 * KiB)).output
      assert(
        out.startsWith("HTTP/1.1 413 ") || out.startsWith("HTTP/1.1 503 ") && out.contains("Retry-After: "),
        out
      )
      assertEquals(full.context.memory.held, 32L * KiB)
    }
    val full = wire(whole, 128 * KiB)
    full.context.memory.add(96 * KiB)
    val out = full.send(post(80 * KiB) + content(40 * KiB)).output
    assert(out.startsWith("HTTP/1.1 503 ") && out.contains("Retry-After: "), out)
    assert(out.contains("Overload-Reason: memory"), out)
    val mapped = wire(whole.mapResponse((_, r) => r.header("X-Mark", "1")), 128 * KiB)
    mapped.context.memory.add(96 * KiB)
    val marked = mapped.send(post(80 * KiB) + content(40 * KiB)).output
    assert(marked.contains("Overload-Reason: memory") && marked.contains("X-Mark: 1"), marked)
    assertEquals(full.send(content(40 * KiB) + post(10 * KiB) + content(10 * KiB)).statuses, List(200))
    assertEquals(full.send(post(10 * KiB)).send(content(10 * KiB)).statuses, List(200), "in two parts")
    assertEquals(full.context.memory.held, 96L * KiB)
    var refused = 0L
    full.context.admission.foreach(state => refused += state.refused(Refusal.Memory))
    assertEquals(refused, 1L)
  }

  test("fault 6: a body that could never be held is too large, and not only for now") {
    val small = wire(whole, 128 * KiB)
    assertEquals(small.send(post(97 * KiB)).statuses, List(413))
    val grows = wire(whole, 128 * KiB)
    assertEquals(
      grows.send(chunked + "10000\r\n" + content(65536) + "\r\n10000\r\n" + content(65536)).statuses,
      List(413)
    )
  }

  test("an incomplete trailer section is held, and refused with 503 where there is no memory for it") {
    val trailers = chunked + "0\r\nA: " + content(20000)
    val wire     = this.wire(whole, 1024 * KiB)
    def held     = wire.context.memory.held
    wire.send(trailers)
    assert(held >= 20000, held.toString)
    assertEquals(wire.send("\r\n\r\n").statuses, List(200))
    assertEquals(held, 0L)
    wire.send(trailers)
    wire.session.peerGone()
    assertEquals(held, 0L)
    val full = this.wire(whole, 128 * KiB)
    full.context.memory.add(100 * KiB)
    assertEquals(full.send(trailers).statuses, List(503))
    assertEquals(full.context.memory.held, 100L * KiB)
  }

  test("an incomplete trailer section that nobody reads ends the connection, and is not held") {
    val wire = this.wire(_ => Response.ok("hi"), 1024 * KiB)
    assertEquals(wire.send(chunked + "0\r\nA: b\r\n\r\n").statuses, List(200))
    assert(!wire.isFinished)
    assertEquals(wire.send(chunked + "0\r\nA: " + content(20000)).statuses, List(200))
    assert(wire.isFinished)
    assertEquals(wire.context.memory.held, 0L)
  }

  test("a body that nobody reads may end in two parts") {
    for (parts <- List("0\r\n\r" -> "\n", "0\r\n" -> "\r\n", "0\r\nA: b" -> "\r\n\r\n")) {
      val wire = this.wire(_ => Response.ok("hi"), 1024 * KiB)
      wire.send(chunked + parts._1)
      wire.send(parts._2 + get)
      assertEquals(wire.statuses, List(200, 200), parts.toString)
      assert(!wire.isFinished)
      assertEquals(wire.context.memory.held, 0L)
    }
  }

  test("fault 6: a stream waits for its reader when memory is tight") {
    val wire = new FakeWire(_ =>
      Response.ok.stream(ByteStream.fromIterator(Iterator.fill(100)(new Array[Byte](1000))))
    )
    wire.context.memory.setBound(100L * KiB, () => ())
    wire.context.memory.add(80L * KiB)
    wire.stuck = true
    wire.send(get)
    assert(wire.pendingOutput < 30000, wire.pendingOutput.toString)
    val before = wire.pendingOutput
    wire.turn()
    assertEquals(wire.pendingOutput, before)
    wire.unstick()
    assert(wire.output.endsWith("0\r\n\r\n"))
  }

  // with sockets

  private final class Served(val server: RunningServer) {
    def metric(name: String): Double = {
      val client = new RawClient(server.adminAddress match {
        case Some(Address.Tcp(_, port)) => port
        case other                      => fail(s"listens on $other")
      })
      try
        client.send(
          "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        ).readAll().linesIterator
          .filter(line => line.startsWith(name)).map(_.split(' ').last.toDouble).sum
      finally client.close()
    }
    def held: Double = metric("needletail_held_bytes{")

    def ask(request: String): String = {
      val client = new RawClient(server.port)
      try client.send(request.replaceFirst("\r\n", "\r\nConnection: close\r\n")).readAll()
      finally client.close()
    }

    def eventually(what: String)(isSo: => Boolean): Unit =
      MemoryBudgetSuite.this.eventually(isSo, s"not so: $what; $held bytes are held", within = 60.seconds)
  }

  private val budget = 1024 * KiB
  private val config = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    loops = 1,
    memoryBudget = budget.toLong,
    maxBodyInMemory = 256 * KiB,
    overload = OverloadConfig.off,
    handlerTimeout = 3.seconds, // for those that never answer
    admin = Some(AdminConfig(0)),
    log = Log.none
  )

  private def serving[A](handler: Handler)(body: Served => A): A =
    ServerFixture.serving(handler, config)(server => body(new Served(server)))

  private def clients(count: Int, served: Served)(request: String): Seq[RawClient] = {
    val bytes = request.getBytes(ISO_8859_1)
    Seq.fill(count) {
      val client = new RawClient(served.server.port)
      try client.socket.getOutputStream.write(bytes)
      catch { case _: java.io.IOException => () } // refused and ended already
      client
    }
  }

  test(
    "fault 6: clients that send all of a body but its last byte take no more than the budget, and not for long"
  ) {
    serving(whole) { served =>
      val attackers = clients(60, served)(post(256 * KiB) + content(256 * KiB - 1))
      assert(served.held <= budget, s"${served.held} bytes are held")
      assert(served.ask(get).startsWith("HTTP/1.1 200 "))
      assert(served.ask(post(1000) + content(1000)).startsWith("HTTP/1.1 200 "), "a small body")
      served.eventually("a large body comes through again") {
        served.ask(post(200 * KiB) + content(200 * KiB)).startsWith("HTTP/1.1 200 ")
      }
      assert(served.metric("needletail_requests_refused_total{") > 50)
      attackers.foreach(_.close())
      served.eventually("nothing is held in the end")(served.held == 0)
    }
  }

  test(
    "fault 6: a client that stalls while memory is held for it loses that before others are refused for long"
  ) {
    serving(whole) { served =>
      val attackers = clients(3, served)(post(256 * KiB) + content(256 * KiB - 1))
      served.eventually("held")(served.held >= 3 * 256 * KiB)
      served.eventually("ended") {
        served.ask(post(200 * KiB) + content(200 * KiB)).startsWith("HTTP/1.1 200 ")
      }
      attackers.foreach(_.close())
    }
  }

  test("fault 6: heads that never end, and unread bodies, take no more than the budget") {
    val never: Handler =
      request => if (request.method eq Method.GET) Response.ok("hi") else new AsyncPromise[Response]
    for (
      request <- List("GET / HTTP/1.1\r\nHost: a\r\nX: " + content(31000), post(64 * KiB) + content(50000))
    )
      serving(never) { served =>
        val attackers = clients(100, served)(request)
        served.eventually("below the bound")(served.held <= budget)
        assert(served.ask(get).startsWith("HTTP/1.1 200 "))
        attackers.foreach(_.close())
        served.eventually("nothing is held in the end")(served.held == 0)
      }
  }

  test("fault 6: clients that read nothing of what is streamed to them take no more than the budget") {
    val endless: Handler = request =>
      if (request.path == "/") Response.ok("hi")
      else
        Response.ok.stream(new ByteStream {
          def next(): Async[Option[Array[Byte]]] = Async.value(Some(new Array[Byte](128 * KiB)))
          def cancel(): Unit                     = ()
        })
    serving(endless) { served =>
      val attackers = clients(20, served)(get.replace("GET /", "GET /endless"))
      var most      = 0.0
      served.eventually("some were ended") {
        most = Math.max(most, served.held)
        served.metric("needletail_held_relieved_total") >= 2
      }
      assert(most <= budget + 256 * KiB, s"$most bytes were held") // the last piece may go beyond it
      assert(served.ask(get).startsWith("HTTP/1.1 200 "))
      attackers.foreach(_.close())
      served.eventually("nothing is held in the end")(served.held == 0)
    }
  }

  /** A protocol that never has a message, and holds nothing itself. */
  private object Waiting extends Upgrade {
    def protocol: String                         = "x"
    def accept(request: Request): Upgrade.Answer = new Upgrade.Accepted(
      Headers.empty,
      tunnel =>
        new TunnelHandler {
          def receive(bytes: Array[Byte], from: Int, until: Int): Int = from
          def turn(): Unit                                            = ()
          def outputTaken(): Unit                                     = ()
          def peerEnded(): Unit                                       = tunnel.finish()
          def deadlinePassed(): Unit                                  = ()
          def drain(): Unit                                           = tunnel.finish()
          def held: Long                                              = 0
          def heldAhead: Long                                         = 0
          def relieve(): Unit                                         = ()
          def inputDropped(): Unit                                    = tunnel.abort()
          def closed(): Unit                                          = ()
        }
    )
  }

  test("input that another protocol leaves unused is reclaimed, too, if its connections hold nothing else") {
    serving(request => if (request.path == "/") Response.ok("hi") else Waiting.response) { served =>
      val ask       = "GET /x HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"
      val attackers = clients(100, served)(ask + content(30000))
      served.eventually("too much for all of them")(served.metric("needletail_held_relieved_total") >= 1)
      served.eventually("reclaimed")(served.held <= budget * 5 / 8)
      assert(served.ask(get).startsWith("HTTP/1.1 200 "))
      attackers.foreach(_.close())
      served.eventually("nothing is held in the end")(served.held == 0)
    }
  }

  test("the same content on its way to many counts once") {
    val large = new Array[Byte](32 * 1024 * KiB)
    serving(request => if (request.path == "/") Response.ok("hi") else Response.ok.bytes(large)) { served =>
      val readers = clients(6, served)(get.replace("GET /", "GET /large"))
      served.eventually("held")(served.held > 0)
      assert(served.held <= budget / 2, s"${served.held} bytes are held")
      val got  = new Array[Byte](64 * KiB)
      val in   = readers.head.socket.getInputStream
      var left = 32 * 1024 * KiB
      while (left > 0) left -= in.read(got, 0, Math.min(left, got.length))
      readers.foreach(_.close())
      served.eventually("nothing is held in the end")(served.held == 0)
    }
  }

  test("a budget is at least 256 KiB") {
    intercept[IllegalArgumentException](ServerConfig(memoryBudget = 1000))
    intercept[IllegalArgumentException](ServerConfig(memoryBudget = -1))
    assert(TcpSettings(ServerConfig(loops = 2)).loopMemory > 1024 * KiB)
  }
}
