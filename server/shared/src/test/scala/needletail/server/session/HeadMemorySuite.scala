package needletail.server.session

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.AsyncPromise
import needletail.http._
import needletail.io.Address
import needletail.server.{RawClient, ServerFixture}
import needletail.server.config.{AdminConfig, ServerConfig}
import needletail.server.operations.Log
import needletail.server.overload.OverloadConfig
import needletail.testing.Suite

/** The heads of requests in progress are kept until they are answered, and count in `ServerConfig.memoryBudget`. */
class HeadMemorySuite extends Suite {
  private val KiB = 1024

  private def get(path: String, bytes: Int): String = {
    val start = s"GET $path HTTP/1.1\r\nHost: a\r\nCookie: "
    start + "x" * (bytes - start.length - 4) + "\r\n\r\n"
  }
  private val small = "GET /now HTTP/1.1\r\nHost: a\r\n\r\n"

  /** Answers /now at once, and everything else when it is told to. */
  private final class Late(budget: Int, config: ServerConfig = ServerConfig(log = Log.none)) {
    var answers: Vector[AsyncPromise[Response]] = Vector.empty
    val handler: Handler                        = request =>
      if (request.path == "/now") Response.ok("now")
      else {
        val answer = new AsyncPromise[Response]
        answers :+= answer
        answer
      }
    val wire = new FakeWire(handler, config)
    wire.context.memory.setBound(budget.toLong, () => ())
    def held: Long = wire.context.memory.held

    /** Another connection of the same loop. */
    def neighbour: FakeWire = new FakeWire(handler, config, wire)
  }

  test("a head is held until its reply is complete, however that ends") {
    val late = new Late(256 * KiB)
    late.wire.send(get("/late", 5000))
    assertEquals(late.held, 5000L)
    late.answers(0).succeed(Response.ok)
    assertEquals(late.wire.turn().statuses, List(200))
    assertEquals(late.held, 0L)
    assertEquals(late.wire.send(get("/now", 5000)).statuses, List(200))
    assertEquals(late.held, 0L, "answered at once")
    late.wire.send(get("/late", 5000))
    assertEquals(late.wire.after(1.hour).statuses, List(503))
    assertEquals(late.held, 0L, "its handler has timed out")
    late.wire.send(get("/late", 5000))
    assertEquals(late.held, 5000L)
    late.wire.session.peerGone()
    assertEquals(late.held, 0L)
  }

  test("a head is held while its reply is streamed") {
    val wire = new FakeWire(_ =>
      Response.ok.stream(ByteStream.fromIterator(Iterator.fill(1000)(new Array[Byte](1000))))
    )
    wire.stuck = true
    wire.send(get("/", 5000))
    assertEquals(wire.context.memory.held, 5000L)
    assertEquals(wire.context.memory.fixed, 5000L, "it cannot be reclaimed")
    wire.unstick()
    while (!wire.output.endsWith("0\r\n\r\n")) wire.turn()
    assertEquals(wire.context.memory.held, 0L)
    assertEquals(wire.context.memory.fixed, 0L)
  }

  test("the small head of a connection's only request is not counted") {
    val late = new Late(256 * KiB)
    late.wire.send(get("/late", 2048))
    assertEquals(late.held, 0L)
    late.wire.send(get("/late", 2048))
    assertEquals(late.held, 2048L, "one behind it is")
    late.answers.foreach(_.succeed(Response.ok))
    assertEquals(late.wire.turn().statuses, List(200, 200))
    assertEquals(late.held, 0L)
  }

  test("where there is no memory for a head, its request is refused before its handler is called") {
    val late = new Late(256 * KiB)
    late.wire.context.memory.add(180L * KiB) // another connection's
    val first = late.neighbour.send(get("/late", 15000)).send("")
    assertEquals(late.answers.size, 1, "it is a small one")
    val refused = late.neighbour
    val out     = refused.send(get("/late", 30000) + small).output
    assert(out.startsWith("HTTP/1.1 503 ") && out.contains("Overload-Reason: memory"), out)
    assert(out.contains("Retry-After: ") && out.contains("Connection: close"), out)
    assert(refused.isFinished && !out.contains("now"), out)
    assertEquals(late.answers.size, 1)
    assertEquals(late.neighbour.send(small).statuses, List(200), "others are served")
    val head = late.neighbour.send(get("/late", 30000).replaceFirst("GET", "HEAD")).output
    assert(head.startsWith("HTTP/1.1 503 ") && head.endsWith("\r\n\r\n"), head)
    val post = late.neighbour.send(
      get(
        "/late",
        30000
      ).replaceFirst("GET", "POST").replaceFirst("Host", "Content-Length: 5\r\nHost") + "hello"
    )
    assertEquals(post.statuses, List(503))
    late.answers(0).succeed(Response.ok)
    assertEquals(first.turn().statuses, List(200))
    assertEquals(late.held, 180L * KiB)
    var counted = 0L
    late.wire.context.admission.foreach(state => counted += state.refused(Refusal.Memory))
    assertEquals(counted, 3L)
  }

  test("heads take half of the memory at most, so that there is some for bodies") {
    val late  = new Late(256 * KiB)
    val wires = List.fill(20)(late.neighbour.send(get("/late", 16000)))
    assertEquals(late.answers.size, 8)
    assertEquals(late.held, 8L * 16000)
    late.answers.head.succeed(Response.ok)
    assertEquals(wires.map(_.turn().statuses), List(200) :: List.fill(7)(Nil) ::: List.fill(12)(List(503)))
    late.neighbour.send(get("/late", 16000))
    assertEquals(late.answers.size, 9)
  }

  test("while memory is tight, requests behind another are not read, and are served in the end") {
    val late = new Late(256 * KiB, ServerConfig(log = Log.none, maxPipelined = 8))
    late.wire.send(List.fill(8)(get("/late", 1000)).mkString)
    assertEquals((late.answers.size, late.held), (8, 7000L))
    late.wire.context.memory.add(250L * KiB)
    val other = late.neighbour
    other.send(List.fill(4)(get("/late", 1000)).mkString + small)
    assertEquals(late.answers.size, 9)
    assert(!other.session.wantsInput)
    for (n <- 9 to 12) {
      assertEquals(late.answers.size, n)
      late.answers(n - 1).succeed(Response.ok)
      other.turn()
    }
    assertEquals(other.statuses, List(200, 200, 200, 200, 200))
    late.answers.take(8).foreach(_.succeed(Response.ok))
    assertEquals(late.wire.turn().statuses, List.fill(8)(200))
    assertEquals(late.held, 250L * KiB)
  }

  test("while heads take more than a quarter of the memory, requests behind another wait") {
    val late = new Late(256 * KiB)
    for (_ <- 1 to 4) late.neighbour.send(get("/late", 16000))
    late.neighbour.send(get("/late", 1000) + get("/late", 1000))
    assertEquals((late.answers.size, late.held), (6, 65000L))
    late.neighbour.send(get("/late", 16000))
    val other = late.neighbour
    other.send(get("/late", 1000) + get("/late", 1000))
    assertEquals(late.answers.size, 8)
    assert(!other.session.wantsInput)
    late.answers(7).succeed(Response.ok)
    other.turn()
    assertEquals(late.answers.size, 9)
  }

  test("a large head behind another request waits for its turn, instead of being refused") {
    val late = new Late(256 * KiB)
    late.wire.send(get("/late", 1000))
    late.wire.context.memory.add(180L * KiB)
    late.wire.send(get("/late", 30000))
    assertEquals((late.answers.size, late.wire.statuses), (1, Nil))
    late.wire.context.memory.give(180L * KiB)
    late.answers(0).succeed(Response.ok)
    late.wire.turn()
    assertEquals((late.answers.size, late.wire.statuses), (2, List(200)))
    late.answers(1).succeed(Response.ok)
    assertEquals(late.wire.turn().statuses, List(200))
    assertEquals(late.held, 0L)
  }

  test("with the smallest budget, a head of the largest size is admitted where nothing else is held") {
    val config = ServerConfig(
      address = Address.Tcp("127.0.0.1", 0),
      loops = 4,
      maxHead = 32 * KiB,
      memoryBudget = 256L * KiB,
      log = Log.none
    )
    intercept[IllegalArgumentException](config.copy(loops = 5)).getMessage match {
      case text =>
        assert(text.contains("at least 327680 bytes, twice maxHead (32768) for each of 5 loops"), text)
    }
    assertEquals(config.copy(loops = 5, memoryBudget = 327680).memoryBudget, 327680L)
    val handler: Handler = request => Response.ok(request.header("Cookie").fold(0)(_.length).toString)
    ServerFixture.serving(handler, config) { server =>
      val largest = get("/late", 32 * KiB)
      var total   = 0L
      for (split <- List(0, 1000, 30000, largest.length - 1)) {
        val client = new RawClient(server.port)
        client.send(largest.take(split))
        total += split
        // it is read before the rest comes
        eventually(Await.result(server.statistics, 20.seconds).bytesRead == total, s"split at $split")
        client.send(largest.drop(split))
        total += largest.length - split
        val answer = client.readUntil("\r\n\r\n")
        assert(answer.startsWith("HTTP/1.1 200 "), s"split at $split: $answer")
        client.close()
      }
    }
  }

  test("clients whose requests are never answered take no more than the budget, and others are served") {
    val budget           = 1024 * KiB
    val begun            = new AtomicInteger
    val handler: Handler = request =>
      if (request.path == "/never") {
        begun.incrementAndGet()
        new AsyncPromise[Response]
      } else request.body.bytes.map(b => Response.ok(b.length.toString))
    val config = ServerConfig(
      address = Address.Tcp("127.0.0.1", 0),
      loops = 1,
      memoryBudget = budget.toLong,
      overload = OverloadConfig.off,
      handlerTimeout = 1.hour,
      admin = Some(AdminConfig(0)),
      log = Log.none
    )
    ServerFixture.serving(handler, config) { server =>
      def ask(port: Int, request: String): String = {
        val client = new RawClient(port)
        try client.send(request.replaceFirst("\r\n", "\r\nConnection: close\r\n")).readAll()
        finally client.close()
      }
      val adminPort = server.adminAddress match {
        case Some(Address.Tcp(_, port)) => port
        case other                      => fail(s"listens on $other")
      }
      def held: Double = ask(adminPort, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").linesIterator
        .filter(_.startsWith("needletail_held_bytes{")).map(_.split(' ').last.toDouble).sum

      val request   = get("/never", 30000).getBytes(ISO_8859_1)
      val attackers = Seq.fill(100) {
        val client = new RawClient(server.port)
        try client.socket.getOutputStream.write(request)
        catch { case _: java.io.IOException => () } // refused and ended already
        client
      }
      assert(ask(server.port, small).startsWith("HTTP/1.1 200 "))
      val post = s"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + "x" * 100000
      assert(ask(server.port, post).startsWith("HTTP/1.1 200 "))
      assert(begun.get >= 10 && begun.get <= budget / 2 / 30000, begun.get)
      assert(held >= begun.get * 30000.0 && held <= budget.toDouble, held)
      attackers.foreach(_.close())
      eventually(held == 0)
    }
  }
}
