package needletail.server.overload

import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.server.RawClient

import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.http._
import needletail.http.admission.RouteClass
import needletail.io.Address
import needletail.io.system.SystemPlatform
import needletail.server.ServerFixture.serving
import needletail.testing.{Pause, Suite}

/** Too much at once, over sockets: too many requests, and too many connections. */
class OverloadSuite extends Suite {
  private val config = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    loops = 1,
    overload = OverloadConfig(grace = Duration.Zero),
    log = Log.none
  )

  private def get(path: String) = s"GET $path HTTP/1.1\r\nHost: a\r\n\r\n"

  /** Takes so much of the processor, however many others do too: the loop counts that, not the time that passes. */
  private def spin(time: FiniteDuration): Unit = {
    val isCounted = SystemPlatform.processorNanos() >= 0 // if not, the loop counts what passes
    def now       = if (isCounted) SystemPlatform.processorNanos() else System.nanoTime()
    val end       = now + time.toNanos
    while (now < end) ()
  }

  /** Answers after so much work for the processor; health is critical. */
  private val work: Handler = new Handler {
    private val kind   = new RouteClass("GET", "/work")
    private val health = new RouteClass("GET", "/health", Priority.Critical)

    private[needletail] override def routeClass: RouteClass = null
    def apply(request: Request): Reply                      = {
      val route   = if (request.path == "/health") health else kind
      val refusal = request.head.gate.enter(route)
      if (refusal eq Gate.hold) request.head.gate.later(route, () => answer(route))
      else if (refusal != null) refusal
      else answer(route)
    }

    private def answer(route: RouteClass): Response = {
      if (route eq kind) spin(4.millis)
      Response.ok("done")
    }
  }

  test(
    "when more comes than the loop can do some are refused, soon, and health never; then all is as before"
  ) {
    // what takes longer than that is no burst here; on a busy machine it is long until the loop has done a second's work
    val soon = config.overload.copy(interval = 20.millis, burst = 20.millis)
    serving(work, config.copy(overload = soon)) { server =>
      val served   = new AtomicInteger
      val refused  = new AtomicInteger
      val end      = System.nanoTime() + 20.seconds.toNanos
      def isEnough = (refused.get > 0 && served.get > 50) || System.nanoTime() > end
      // 24 clients that ask as fast as they are answered: 4 ms each, so each would wait for 96 ms
      val clients = List.fill(24)(new Thread(() => {
        val client = new RawClient(server.port)
        while (!isEnough) {
          val head = client.send(get("/work")).readUntil("\r\n\r\n")
          client.readUntil(if (head.contains(" 503 ")) "its event loop" else "done")
          if (head.contains(" 503 ")) refused.incrementAndGet() else served.incrementAndGet()
        }
        client.close()
      }))
      clients.foreach(_.start())
      val health = new RawClient(server.port)
      while (!isEnough) {
        val head = health.send(get("/health")).readUntil("done")
        assert(head.startsWith("HTTP/1.1 200 "), head)
      }
      clients.foreach(_.join())
      assert(refused.get > 0 && served.get > 50, clue = s"${served.get} served, ${refused.get} refused")
      def isServed = {
        val head = health.send(get("/work")).readUntil("\r\n\r\n")
        health.readUntil(if (head.contains(" 503 ")) "its event loop" else "done")
        head.startsWith("HTTP/1.1 200 ")
      }
      eventually((1 to 20).forall(_ => isServed), "one by one they are not all served")
      health.close()
    }
  }

  test("a flood of new connections leaves those alone that are served already") {
    serving(_ => Response.ok("fine"), config.copy(maxConnections = 64, crowdedIdleTimeout = 1.minute)) {
      server =>
        val served = List.fill(32)(new RawClient(server.port))
        served.foreach(_.send(get("/")).readUntil("fine"))
        @volatile var flooding = true
        val flooded            = new AtomicInteger
        val flood              = List.fill(4)(new Thread(() => {
          while (flooding) {
            val many = List.fill(25)(scala.util.Try {
              val socket = new java.net.Socket()
              socket.connect(new java.net.InetSocketAddress("127.0.0.1", server.port), 200)
              flooded.incrementAndGet()
              socket
            })
            Pause(5.millis)
            many.foreach(_.foreach(_.close()))
          }
        }))
        flood.foreach(_.start())
        def ask() = served.foreach { client => // each of which is answered in 20 seconds
          assert(client.send(get("/")).readUntil("fine").startsWith("HTTP/1.1 200 "))
        }
        eventually { ask(); flooded.get > 200 }
        ask()
        flooding = false
        flood.foreach(_.join())
        val statistics = Await.result(server.statistics, 20.seconds)
        assert(statistics.connectionsMost <= 64, clue = statistics.connectionsMost)
        served.foreach(_.close())
    }
  }
}
