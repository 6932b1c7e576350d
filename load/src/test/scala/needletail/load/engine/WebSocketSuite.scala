package needletail.load.engine

import java.io.IOException
import java.net.{InetAddress, ServerSocket}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._

import needletail.http.{Handler, Response}
import needletail.load.plan.{Check, Kind, Load, LoadPlan, PlanCheck, RequestTemplate}
import needletail.testing.Suite
import needletail.websocket._
import needletail.websocket.handshake.Handshake

/** Messages on WebSockets as the load. */
class WebSocketSuite extends Suite with Serving {
  override def munitTimeout: Duration = 2.minutes

  private val echo: Handler = request =>
    if (request.path == "/ws" && request.header("X-Token").contains("a"))
      webSocket(socket => message => socket ! message)
    else Response.ok

  /** The plan with WebSockets in place of its requests. */
  private def messages(plan: LoadPlan, body: String, checks: Check*): LoadPlan = plan.copy(kinds =
    plan.kinds.map(k =>
      Kind(
        k.name,
        k.requests.map(r =>
          RequestTemplate(
            "GET",
            "ws" + r.url.dropWhile(_ != ':'),
            Vector("X-Token" -> "a"),
            Some(body),
            checks.toVector
          )
        )
      )
    )
  )

  test("users send messages, each when the last has come back, on one connection each") {
    serving(echo) { server =>
      val plan   = closed(server.url + "/ws", users = 20, requests = 50).copy(loops = 2)
      val result = run(messages(plan, "x" * 1000, Check.BodyContains("x" * 1000)))
      assertEquals(outcomes(result), Map("good" -> 1000L))
      assertEquals(result.total().received, 1000000L)
      assertEquals(result.intervals.map(_.self.opened).sum, 20L)
    }
  }

  test(
    "arrivals are messages at a rate, several in flight on few connections, latency from when each was due"
  ) {
    val open1         = new AtomicInteger
    val slow: Handler = _ =>
      webSocket { socket =>
        open1.incrementAndGet()
        message => { val _ = socket.loop.schedule(50 * 1000 * 1000L, () => { socket ! message }) }
      }
    serving(slow) { server =>
      val plan = open(server.url + "/ws", rate = 200, duration = 500.millis)
      val few  =
        plan.copy(load = Load.Open(Vector(Load.Step(200, 200, 500.millis)), connections = 2), pipelining = 3)
      val result = run(messages(few, "hello"))
      assertEquals(outcomes(result), Map("good" -> 100L))
      assertEquals(open1.get, 2)
      val longest = result.total().response.getMaxValue
      // at most six at a time, each for 50 ms: 100 of them take longer than they are due in, and the wait counts
      assert(longest > 200L * 1000 * 1000, longest)
    }
  }

  test("what goes wrong is told apart") {
    def failing(handler: Handler, check: Seq[Check] = Nil, timeout: FiniteDuration = 20.seconds) =
      serving(handler) { server =>
        val plan   = closed(server.url + "/ws", users = 1, requests = 2).copy(timeout = timeout)
        val result = run(messages(plan, "hello", check*))
        (outcomes(result), result.reasons.map(_._2).mkString(" "))
      }
    def answers(answer: WebSocket => WebSocketListener): Handler = _ => webSocket(answer)
    val (refused, why)                                           = failing(_ => Response.ok)
    assertEquals(refused, Map("connect-failed" -> 2L))
    assert(why.contains("the server responded 200 instead of opening a WebSocket"), why)
    val (closed4000, told) = failing(answers(s => _ => s.close(4000, "enough")))
    assertEquals(closed4000, Map("reset" -> 2L))
    assert(told.contains("closed the WebSocket with 4000 enough"), told)
    assertEquals(failing(answers(_ => _ => ()), timeout = 2.seconds)._1, Map("timeout" -> 2L))
    val (twice, surplus) = failing(answers(s => m => { s ! m; s ! m }))
    assertEquals(twice, Map("good" -> 1L, "garbage" -> 1L))
    assert(surplus.contains("a message that nothing had asked for"), surplus)
    // later than the greeting is read: in one piece with it, the first answer would be one that nothing had asked for
    val greets = answers { s =>
      s ! "hello"
      m => { val _ = s.loop.schedule(50 * 1000 * 1000L, () => { s ! m }) }
    }
    assertEquals(failing(greets, Seq(Check.BodyContains("hello")))._1, Map("good" -> 2L))
    assertEquals(
      failing(answers(s => _ => s ! "other"), Seq(Check.BodyContains("hello")))._1,
      Map("check" -> 2L)
    )
  }

  test("interim answers precede the WebSocket") {
    val server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress)
    val thread = new Thread(() =>
      try
        while (true) {
          val socket = server.accept()
          val in     = socket.getInputStream
          val asked  = new StringBuilder
          while (!asked.endsWith("\r\n\r\n")) asked.append(in.read().toChar)
          val key    = asked.toString.split("\r\n").find(_.startsWith("Sec-WebSocket-Key: ")).get.drop(19)
          val early  = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 2
          val answer = s"HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
            s"Sec-WebSocket-Accept: ${Handshake.acceptOf(key)}\r\n\r\n"
          socket.getOutputStream.write((early + answer).getBytes("ISO-8859-1"))
          socket.getOutputStream.write(Array[Byte](0x81.toByte, 2, 'o', 'k')) // to the message that will come
        }
      catch { case _: IOException => () } // closed
    )
    thread.setDaemon(true)
    thread.start()
    try {
      val plan   = closed(s"http://127.0.0.1:${server.getLocalPort}/", users = 1, requests = 1)
      val result = run(messages(plan.copy(timeout = 5.seconds), "hello"))
      assert(!outcomes(result).contains("connect-failed"), result.reasons)
    } finally server.close()
  }

  test("what a WebSocket cannot have is a mistake in the plan") {
    def mistake(change: LoadPlan => LoadPlan) =
      PlanCheck.mistake(change(messages(closed("http://127.0.0.1:1/ws", 1, 1), "x"))).getOrElse("none")
    assertEquals(mistake(identity), "none")
    assert(mistake(_.copy(keepAlive = false)).contains("kept alive"))
    assert(mistake(p => messages(p, "x", Check.Status(Set(200)))).contains("no status"))
  }
}
