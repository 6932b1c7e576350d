package needletail.load.engine

import java.net.{InetAddress, ServerSocket}
import java.nio.channels.SocketChannel
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._

import needletail.async.Async
import needletail.http.Response
import needletail.load.plan.{Load, LoadPlan, Pause}
import needletail.load.result.{Outcome, RunResult}
import needletail.testing.Suite

/** Whatever a server does, each request ends in the right way; LeftoversSuite says that nothing is left behind. */
class OutcomeSuite extends Suite with Serving {

  /** Users against a server that follows a script; none hangs, and all of their connections end. */
  private def against(script: (Caller, Int) => Unit, plan: LoadPlan => LoadPlan = identity): RunResult = {
    val server = new Misbehaving(script)
    try {
      val result = run(plan(closed(server.url, users = 4, requests = 5)))
      eventually(server.closed.get == server.opened.get, s"${server.closed} of ${server.opened} were closed")
      result
    } finally server.close()
  }

  private def good(result: RunResult) = outcomes(result)

  test("statuses that do not count as good") {
    serving(_ => Response.notFound.text("no")) { server =>
      val result = run(closed(server.url, 2, 5))
      assertEquals(outcomes(result), Map("status" -> 10L))
      assertEquals(result.total().status(404), 10L)
      assertEquals(result.total().response.getTotalCount, 0L)
      assertEquals(result.total().failed.getTotalCount, 10L)
    }
  }

  test("nothing listens") {
    assertEquals(outcomes(run(closed("http://127.0.0.1:1/", 3, 4))), Map("refused" -> 12L))
    assertEquals(outcomes(run(open("http://127.0.0.1:1/", 100, 300.millis))), Map("refused" -> 30L))
    assertEquals(outcomes(run(closed("http+unix://%2Fnowhere%2Fsocket/", 1, 2))), Map("refused" -> 2L))
  }

  test("a name without an address") {
    assertEquals(outcomes(run(closed("http://nowhere.invalid/", 2, 2))), Map("unresolved" -> 4L))
  }

  test("no connection within the timeout") {
    // A listener that accepts nothing holds as many connections as its queue has places; others get no answer.
    val listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))
    val filling  = Vector.fill(4) {
      val channel = SocketChannel.open()
      channel.configureBlocking(false)
      channel.connect(listener.getLocalSocketAddress)
      channel
    }
    try {
      val plan = closed(s"http://127.0.0.1:${listener.getLocalPort}/", 2, 1).copy(connectTimeout = 200.millis)
      assertEquals(outcomes(run(plan)), Map("connect-timeout" -> 2L))
    } finally {
      filling.foreach(_.close())
      listener.close()
    }
  }

  test("garbage") {
    assertEquals(good(against((c, _) => c.send("What?\r\n\r\n"))), Map("garbage" -> 20L))
  }

  test("more bytes than the response has") {
    val longer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nokokok"
    assertEquals(good(against((c, _) => c.send(longer))), Map("garbage" -> 20L))
  }

  test("two lengths") {
    val twice = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!"
    assertEquals(good(against((c, _) => c.send(twice))), Map("garbage" -> 20L))
  }

  test("a body that is cut off") {
    val part = "HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\nok"
    assertEquals(
      good(against { (c, _) =>
        c.send(part)
        c.close()
      }),
      Map("reset" -> 20L)
    )
  }

  test("a connection that is reset") {
    assertEquals(good(against((c, _) => c.reset())), Map("reset" -> 20L))
  }

  test("no answer at all") {
    val result =
      against((_, _) => (), p => p.copy(load = Load.Closed(4, Some(2), None), timeout = 200.millis))
    assertEquals(good(result), Map("timeout" -> 8L))
    val failed = result.total().failed
    assert(failed.getMinValue >= 199000000L && failed.getMaxValue < 20000000000L, failed.getMaxValue)
    // In the open model too, also for those who never got a connection.
    val open = against(
      (_, _) => (),
      _.copy(load = Load.Open(Vector(Load.Step(100, 100, 400.millis)), connections = 5), timeout = 200.millis)
    )
    assertEquals(good(open), Map("timeout" -> 40L))
  }

  test("an answer that is too slow") {
    val head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
    assertEquals(
      good(against(
        (c, _) => c.send(head),
        _.copy(load = Load.Closed(2, Some(1), None), timeout = 200.millis)
      )),
      Map("timeout" -> 2L)
    )
  }

  test("those behind one that timed out on a pipelined connection timed out too") {
    val plan: LoadPlan => LoadPlan = p =>
      p.copy(load = Load.Closed(1, Some(4), None), timeout = 200.millis, pipelining = 4)
    assertEquals(good(against((_, _) => (), plan)), Map("timeout" -> 4L))
    val more: LoadPlan => LoadPlan =
      p => plan(p).copy(load = Load.Closed(1, Some(12), None), timeout = 100.millis)
    assertEquals(good(against((_, _) => (), more)), Map("timeout" -> 12L))
  }

  test("a server that closes after each answer is as good as any") {
    val closing = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"
    val result  = against { (c, _) =>
      c.send(closing)
      c.close()
    }
    assertEquals(good(result), Map("good" -> 20L))
    assertEquals(result.intervals.map(_.self.opened).sum, 20L)
    assertEquals(
      good(against { (c, _) =>
        c.send("HTTP/1.0 200 OK\r\n\r\nuntil the end")
        c.close()
      }),
      Map("good" -> 20L)
    )
  }

  test("those pipelined behind an answer that was the last one are sent again") {
    val last                           = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"
    val pipeline: LoadPlan => LoadPlan = _.copy(pipelining = 4)
    val result                         = against(
      (c, _) =>
        if (c.served < 3) c.answer()
        else if (c.served == 3) {
          c.send(last)
          c.close()
        },
      pipeline
    )
    assertEquals(good(result), Map("good" -> 20L))
    assert(result.intervals.map(_.self.resent).sum > 0)
  }

  test("connections that are not kept alive") {
    // The server would keep them: it is our side that closes.
    val result = against((c, _) => c.answer(), _.copy(keepAlive = false))
    assertEquals(good(result), Map("good" -> 20L))
    assertEquals(result.intervals.map(_.self.opened).sum, 20L)
    serving(ok) { server =>
      val plan = open(server.url, 200, 500.millis).copy(keepAlive = false)
      val ours = run(plan)
      assertEquals(outcomes(ours), Map("good" -> 100L))
      assertEquals(ours.intervals.map(_.self.opened).sum, 100L)
    }
  }

  test("a request that crosses with the closing of an idle connection is sent once more, and counted") {
    // The first request of each connection is answered; the second, after a pause, meets its end.
    val plan: LoadPlan => LoadPlan =
      _.copy(load = Load.Closed(2, Some(3), None, pause = Pause.Constant(150.millis)))
    val result = against((c, _) => if (c.served == 1) c.answer() else c.reset(), plan)
    assertEquals(good(result), Map("good" -> 6L))
    assertEquals(result.intervals.map(_.self.resent).sum, 4L)
    // Without a pause the server has cut off a busy connection.
    val busy = against((c, _) => if (c.served == 1) c.answer() else c.reset())
    assertEquals(good(busy).keySet, Set("good", "reset"))
    assertEquals(busy.intervals.map(_.self.resent).sum, 0L)
  }

  test("an idle connection that the server closes is opened again without a word") {
    serving(ok, serverConfig.copy(idleTimeout = 500.millis)) { server =>
      val plan = closed(server.url, 2, 3).copy(load =
        Load.Closed(2, Some(3), None, pause = Pause.Constant(2.seconds))
      )
      val result = run(plan)
      assertEquals(outcomes(result), Map("good" -> 6L))
      assertEquals(result.intervals.map(_.self.opened).sum, 6L)
    }
  }

  test("no request is lost: what was due has ended") {
    val result = against(
      (c, n) => if (n % 3 == 0) c.reset() else if (n % 5 == 0) () else c.answer(),
      _.copy(timeout = 300.millis)
    )
    assertEquals(result.total().requests, result.intervals.map(_.self.due).sum)
    assertEquals(result.total().requests, 20L)
  }

  test("what was due and not sent when it was stopped") {
    val server = new Misbehaving((_, _) => ())
    try {
      val plan   = open(server.url, 50, 1.minute)
      val load   = Load.Open(Vector(Load.Step(50, 50, 1.minute)), connections = 2)
      val result = run(plan.copy(load = load), _ => false)
      val unsent = result.total().count(Outcome.Unsent)
      // 50 in the second until that, and those until it was noticed, which is long before the minute is over
      assert(unsent >= 48 && unsent < 1500, unsent)
    } finally server.close()
  }

  test("what was due and found all connections in use until its timeout was not sent") {
    val asked = new AtomicInteger
    serving { _ => asked.incrementAndGet(); Async.sleep(100.millis).map(_ => Response.ok("x")) } { server =>
      val load   = Load.Open(Vector(Load.Step(100, 100, 6.seconds)), connections = 1)
      val result = run(open(server.url, 100, 6.seconds).copy(load = load, timeout = 2.seconds))
      val counts = outcomes(result)
      assert(counts.getOrElse("unsent", 0L) > 200, counts)
      // If all were sent too late, only the answers of the first two seconds of eight would be in time.
      assert(counts.getOrElse("good", 0L) * 2 > asked.get, s"$counts of $asked")
    }
  }
}
