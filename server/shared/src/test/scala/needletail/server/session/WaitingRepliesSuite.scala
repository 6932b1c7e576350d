package needletail.server.session

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.server.overload.OverloadConfig
import needletail.testing.Suite

/** Replies that are complete, but wait for an earlier one, count in `ServerConfig.memoryBudget`. */
class WaitingRepliesSuite extends Suite {
  private val KiB = 1024

  private def get(path: String): String = s"GET $path HTTP/1.1\r\nHost: a\r\n\r\n"

  private val pages  = get("/page") * 15
  private val shared = new Array[Byte](10000)

  /** Answers /page at once with a page of its own, /shared with one that all share, /later all at one time. */
  private final class Site(budget: Int) {
    val slow          = new AsyncPromise[Response]
    val later         = new AsyncPromise[Unit]
    val site: Handler = request =>
      request.path match {
        case "/slow"   => slow
        case "/later"  => later.map(_ => page)
        case "/shared" => Response.ok.bytes(shared)
        case "/stream" => Response.ok.stream(ByteStream.of(new Array[Byte](10000)))
        case "/big"    => Response.ok.stream(ByteStream.of(new Array[Byte](300000)))
        case "/events" =>
          Response.ok.stream(new ByteStream {
            def next(): Async[Option[Array[Byte]]] = new AsyncPromise[Option[Array[Byte]]]
            def cancel(): Unit                     = ()
          })
        case _ => page
      }
    private def page = Response.ok.bytes(new Array[Byte](10000))

    val wire   = new FakeWire(site.mapResponse((_, r) => r.header("X-Mark", "1")))
    val memory = wire.context.memory
    memory.setBound(budget.toLong, () => ())
    def held: Long = memory.held

    def refused: Long = {
      var n = 0L
      wire.context.admission.foreach(state => n += state.refused(Refusal.Memory))
      n
    }
  }

  test("fault 6: a reply that waits for an earlier one is held until it is sent, or its client has gone") {
    val site = new Site(1024 * KiB)
    site.wire.send(get("/slow") + pages)
    assert(site.held >= 150000, site.held)
    site.slow.succeed(Response.ok)
    assertEquals(site.wire.turn().statuses, List.fill(16)(200))
    assertEquals(site.held, 0L)
    for (path <- List("/events", "/slow")) {
      val gone = new Site(1024 * KiB)
      gone.wire.send(get(path) + pages)
      assert(gone.held >= 150000, gone.held)
      gone.wire.session.peerGone()
      assertEquals(gone.held, 0L)
    }
    assertEquals(site.refused, 0L)
  }

  test("replies that come later count as well, and bytes that are to be streamed") {
    val site = new Site(1024 * KiB)
    site.wire.send(get("/slow") + get("/later") * 10 + get("/stream") * 5)
    assert(site.held >= 50000 && site.held < 60000, site.held)
    site.later.succeed(())
    assert(site.held >= 150000, site.held)
    site.slow.succeed(Response.ok)
    assertEquals(site.wire.turn().statuses, List.fill(16)(200))
    assertEquals(site.held, 0L)
  }

  test("a reply without one before it does not count, nor the same content more than once") {
    val site = new Site(1024 * KiB)
    assertEquals(site.wire.send(pages).statuses, List.fill(15)(200))
    assertEquals(site.held, 0L)
    site.wire.send(get("/slow") + get("/shared") * 15)
    assert(site.held >= 10000 && site.held < 20000, site.held)
  }

  test("while memory is tight, requests behind another wait, so that their replies take none") {
    val site = new Site(64 * KiB)
    site.wire.send(get("/slow") + pages)
    assert(site.held <= 48 * KiB, site.held)
    assert(site.held >= 30 * KiB, site.held)
    site.slow.succeed(Response.ok)
    val out = site.wire.turn().statuses
    assertEquals(out.size, 16)
    assert(out.count(_ == 200) >= 15, out)
    assertEquals(site.held, 0L)
  }

  test("a reply that cannot wait for want of memory becomes a 503, which says when to ask again") {
    val site = new Site(128 * KiB)
    site.wire.send(get("/slow") + get("/later") * 15)
    site.later.succeed(())
    assert(site.held <= 96 * KiB, site.held)
    assert(site.refused >= 5, site.refused)
    site.slow.succeed(Response.ok)
    val out      = site.wire.turn().output
    val statuses = "HTTP/1\\.1 (\\d{3})".r.findAllMatchIn(out).map(_.group(1).toInt).toList
    assertEquals(statuses.size, 16)
    assertEquals(statuses.count(_ == 503).toLong, site.refused)
    assertEquals("Retry-After: ".r.findAllIn(out).size.toLong, site.refused)
    assertEquals("Overload-Reason: memory".r.findAllIn(out).size.toLong, site.refused)
    assertEquals("X-Mark: 1".r.findAllIn(out).size, 16, "it passes through the wrappers")
    assert(!site.wire.isFinished)
    assertEquals(site.held, 0L)
    assertEquals(site.wire.send(get("/page")).statuses, List(200), "the connection continues")
  }

  test("a reply whose turn has come is not touched, only those behind it") {
    val site = new Site(1024 * KiB)
    site.wire.send(get("/slow") + get("/big") + get("/page"))
    site.wire.stuck = true
    site.slow.succeed(Response.ok)
    site.wire.turn()
    assertEquals(site.wire.session.memory.waitingReplies, 10000L)
    site.wire.session.memory.refuseWaiting()
    assert(site.held < 100, "the head of the last request only")
    assertEquals(site.wire.unstick().statuses, List(200, 200, 503))
    assertEquals(site.refused, 1L)
  }

  test(
    "replies that wait take at most half of the places in flight: requests behind them wait to be handled"
  ) {
    var handled       = 0
    val slow          = new AsyncPromise[Response]
    val site: Handler = request => {
      handled += 1
      if (request.path == "/slow") slow else Response.ok("x")
    }
    val overload = OverloadConfig(maxInFlight = 64)
    val wire     = new FakeWire(site, ServerConfig(log = Log.none, overload = overload, maxPipelined = 100))
    val other    = new FakeWire(site, neighbour = wire)
    wire.send(get("/slow") + get("/quick") * 60)
    assertEquals(handled, 33, "one more than half")
    assertEquals(other.send(get("/quick") * 3).statuses, List(200, 200, 200))
    slow.succeed(Response.ok)
    assertEquals(wire.turn().statuses, List.fill(61)(200))
    assertEquals(wire.context.admission.inFlight, 0)
  }

  test(
    "the reply to a request that was carried out waits for its client even where there is no memory for it"
  ) {
    for ((method, status) <- List("POST" -> 200, "GET" -> 503)) {
      val reply = new AsyncPromise[Response]
      val wire  = new FakeWire(_ => reply)
      wire.context.memory.setBound(256L * KiB, () => ())
      wire.send(s"$method / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
      wire.context.memory.add(250L * KiB)
      wire.pendingOutput = 2 * 1024 * KiB // another request's of the same connection, as with FastCGI
      reply.succeed(Response.ok.bytes(new Array[Byte](10000)))
      assertEquals(wire.turn().statuses, Nil, method)
      assertEquals(wire.context.memory.held, 250L * KiB + (if (status == 200) 10000 else 0), method)
      wire.session.memory.refuseWaiting()
      assertEquals(wire.unstick().statuses, List(status), method)
      assertEquals(wire.context.memory.held, 250L * KiB, method)
    }
  }
}
