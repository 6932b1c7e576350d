package needletail.server.session

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._

import needletail.http.{Handler, Request, Response}
import needletail.routing._
import needletail.server.RawClient
import needletail.server.ServerFixture.{loopback, serving}
import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.testing.Suite

/** How much of what one connection has pipelined is served in one turn: other connections of the loop wait meanwhile. */
class PipelinedTurnsSuite extends Suite {
  private val get = "GET /a HTTP/1.1\r\nHost:a\r\n\r\n"

  /** So many requests on one connection, each of which takes so long; and another connection of the same loop. */
  private final class Pipelined(count: Int, takes: FiniteDuration) {
    private var present: FakeWire = null

    private val routes = Routes(GET / "a" to { present.nowNanos += takes.toNanos; "".ok })
    val wire           = new FakeWire(routes, ServerConfig(log = Log.none))
    val other          = new FakeWire(routes, ServerConfig(log = Log.none), wire)
    present = wire
    private val bytes = (get * count).getBytes("US-ASCII")
    private var used  = 0

    def isDone: Boolean = used == bytes.length

    /** One turn. Returns how many requests it has served, and what that took. */
    def turn(): (Int, FiniteDuration) = {
      val before = (used, wire.nowNanos)
      used = wire.session.receive(bytes, used, bytes.length)
      ((used - before._1) / get.length, (wire.nowNanos - before._2).nanos)
    }
  }

  test("a turn serves pipelined requests for a few milliseconds, and others are served between two of them") {
    val p = new Pipelined(2520, 200.micros)
    var n = 0
    while (!p.isDone) {
      val (_, took) = p.turn()
      assert(took <= 4.millis, took)
      assertEquals(p.other.send(get).statuses, List(200))
      n += 1
      assert(n < 500)
    }
    assertEquals(p.wire.statuses, List.fill(2520)(200))
  }

  test("a turn serves a bounded number of pipelined requests, whatever they take") {
    val p      = new Pipelined(1000, Duration.Zero)
    var served = List.empty[Int]
    while (!p.isDone) served = p.turn()._1 :: served
    assert(served.max <= 64, served)
    assertEquals(served.sum, 1000)
    assert(served.tail.forall(_ == 64), "each turn but the last is used")
    assertEquals(p.wire.statuses.size, 1000)
  }

  test("sixteen that cost little are served in one turn") {
    val p = new Pipelined(16, 5.micros)
    assertEquals(p.turn()._1, 16)
    assertEquals(p.wire.writes, 1)
  }

  test("where there is no memory to keep them, the turn goes on") {
    val p = new Pipelined(1000, Duration.Zero)
    p.wire.context.memory.setBound(256 * 1024, () => ())
    p.wire.context.memory.add(1024 * 1024)
    assertEquals(p.turn()._1, 1000)
    p.wire.context.memory.add(-1024 * 1024)
  }

  test("over sockets: another connection is served between the turns of one that has pipelined much") {
    val begun           = new CountDownLatch(1)
    val asked           = new CountDownLatch(1)
    val served          = new AtomicInteger
    @volatile var until = -1
    val handler         = Handler { (request: Request) =>
      if (request.path == "/other") until = served.get
      else if (served.incrementAndGet() == 1) { // the loop stands still until the other has asked
        begun.countDown()
        asked.await(20, TimeUnit.SECONDS)
      }
      Response.ok("x")
    }
    serving(handler, loopback.copy(log = Log.none)) { server =>
      val other = new RawClient(server.port)
      val piped = new RawClient(server.port)
      piped.send(get * 2000)
      assert(begun.await(20, TimeUnit.SECONDS))
      other.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n")
      asked.countDown()
      assert(other.readUntil("\r\n\r\nx").startsWith("HTTP/1.1 200 "))
      assert(until > 0 && until <= 3 * 64, until)
      for (_ <- 1 to 2000) piped.readUntil("\r\n\r\nx")
      other.close()
      piped.close()
    }
  }
}
