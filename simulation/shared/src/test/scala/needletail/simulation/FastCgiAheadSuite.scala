package needletail.simulation

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.gateway.serve.GatewayConfig
import needletail.gateway.{FrontProtocol, Gateway}
import needletail.http.ByteStream
import needletail.io.Address
import needletail.routing._
import needletail.server._
import needletail.simulation.peer.SimpleClient
import needletail.simulation.peer.gateway.FastCgiRecords
import needletail.simulation.service.Service
import needletail.simulation.world.World
import needletail.stream.Stream
import needletail.testing.Suite

/** What a request of a FastCGI connection has sent ahead of its response. */
class FastCgiAheadSuite extends Suite with QuietWorlds {
  private def begun: ByteStream = new ByteStream {
    private var isFirst                    = true
    def next(): Async[Option[Array[Byte]]] =
      if (isFirst) {
        isFirst = false
        Async.value(Some(Service.ascii("begun")))
      } else new AsyncPromise[Option[Array[Byte]]]
    def cancel(): Unit = ()
  }

  private def silent: ByteStream = new ByteStream {
    def next(): Async[Option[Array[Byte]]] = new AsyncPromise[Option[Array[Byte]]]
    def cancel(): Unit                     = ()
  }

  private val routes = Routes(
    POST / "silent" + request to (_ => Response.ok.stream(silent)),
    POST / "body" + request to (r => r.body.bytes.map(bytes => Response.ok.text(bytes.length.toString))),
    POST / "begun" + request to (_ => Response.ok.stream(begun)),
    POST / "soon" + request to (r =>
      Response.ok.stream(Stream.defer(Async.sleep(500.millis).map(_ => r.body.stream)))
    ),
    POST / "late" + request to (r =>
      Async.sleep(3.seconds).flatMap(_ => r.body.bytes).map(bytes => Response.ok.text(bytes.length.toString))
    ),
    GET / "now" to "now".ok
  )

  private val config = GatewayConfig(server =
    ServerConfig(
      loops = 1,
      memoryBudget = 256L * 1024,
      handlerTimeout = 2.minutes,
      idleTimeout = 10.minutes,
      overload = OverloadConfig.off,
      blockedLoop = Duration.Zero,
      log = Log.none
    )
  )

  private final class Front(world: World, port: Int) {
    private val received = new StringBuilder
    private val caller   = new SimpleClient(world.network.connect(port))(
      (bytes, n) => { received.append(new String(bytes, 0, n, "US-ASCII")); () },
      _ => ()
    )
    def answer: String         = received.toString
    def statuses: List[String] = "Status: (\\d+)".r.findAllMatchIn(answer).map(_.group(1)).toList
    def close(): Unit          = caller.close()

    def ask(id: Int, path: String, length: Int, method: String = ""): Unit = {
      val all = Seq(
        "REQUEST_METHOD" -> (if (method.nonEmpty) method else if (length > 0) "POST" else "GET"),
        "REQUEST_URI"    -> path,
        "SERVER_NAME"    -> "a"
      ) ++ Seq("CONTENT_LENGTH" -> length.toString).filter(_ => length > 0)
      caller.send(
        FastCgiRecords.begin(id, 1, keeps = true) ++
          FastCgiRecords.record(4, id, FastCgiRecords.pairs(all)) ++ FastCgiRecords.end(4, id)
      )
    }
    def send(id: Int, size: Int): Unit = caller.send(FastCgiRecords.record(5, id, new Array[Byte](size)))
    def end(id: Int): Unit             = caller.send(FastCgiRecords.end(5, id))
  }

  /** Whether a body of 60,000 bytes finds room. */
  private def finds(world: World, port: Int): Boolean = {
    val front = new Front(world, port)
    front.ask(1, "/body", 60000)
    for (_ <- 1 to 6) {
      front.send(1, 10000)
      world.pass(20.millis.toNanos)
    }
    front.end(1)
    world.pass(1.second.toNanos)
    front.close()
    assert(front.answer.contains("Status: "), front.answer)
    front.answer.contains("Status: 200")
  }

  for ((name, otherTraffic) <- Seq("nothing else" -> false, "short requests of others" -> true))
    test(s"content sent ahead of a response in progress is reclaimed, with $name on its connection") {
      serving(config) { (world, port) =>
        val idle = Seq.fill(4)(new Front(world, port))
        for (one <- idle) {
          one.ask(1, "/begun", 60000)
          for (_ <- 1 to 5) {
            one.send(1, 10000)
            world.pass(20.millis.toNanos)
          }
        }
        assert(!finds(world, port), "the memory is short")
        var asked = 0
        for (_ <- 1 to 30) { // 6 s, as they have 5 from the moment that memory was short
          if (otherTraffic) {
            idle.foreach { one => one.ask(2, "/now", 0); one.end(2) }
            asked += 1
          }
          world.pass(200.millis.toNanos)
        }
        assert(finds(world, port), "nobody holds it for good")
        for (one <- idle) {
          assert(one.answer.contains("begun"), one.answer)
          assertEquals("now".r.findAllIn(one.answer).size, asked)
        }
        idle
      }
    }

  test("a silent response to a request whose content has all come is not cut off, in either framing") {
    for (isKnown <- Seq(true, false); isWhole <- Seq(true, false))
      serving(config.copy(server = config.server.copy(handlerTimeout = 2.seconds))) { (world, port) =>
        val one = new Front(world, port)
        one.ask(1, "/silent", if (isKnown) 20000 else 0, "POST")
        one.send(1, 10000)
        world.pass(100.millis.toNanos)
        if (isWhole) {
          one.send(1, 10000)
          one.end(1)
        }
        world.pass(500.millis.toNanos)
        assertEquals(one.statuses, if (isWhole) List("200") else Nil, s"known: $isKnown")
        world.pass(5.seconds.toNanos)
        assertEquals(one.statuses, List(if (isWhole) "200" else "503"), s"known: $isKnown")
        Seq(one)
      }
  }

  private def serving(config: GatewayConfig)(test: (World, Int) => Seq[Front]): Unit = inWorld() { world =>
    val front  = FrontProtocol.FastCgi(Address.Tcp("127.0.0.1", 0))
    val server = Gateway.startOn(world.platform, routes, front, config, readsAhead = false)
    test(world, server.port).foreach(_.close())
    world.pass(1.second.toNanos)
    val _ = server.drain()
    world.pass(20.seconds.toNanos)
    world.checkIdle()
  }

  test("chunks of more than maxBody that have all come are refused, not broken off") {
    for (size <- Seq(15000, 15001))
      serving(config.copy(server = config.server.copy(maxBody = 15000))) { (world, port) =>
        val one = new Front(world, port)
        one.ask(1, "/soon", 0, "POST")
        one.send(1, 10000)
        one.send(1, size - 10000)
        one.end(1)
        world.pass(3.seconds.toNanos)
        assertEquals(one.statuses, List(if (size > 15000) "413" else "200"))
        Seq(one)
      }
  }

  test("a request that cannot be read, as another one's content waits, is not taken for one that stalls") {
    serving(config.copy(maxUnread = 16 * 1024)) { (world, port) =>
      val fronts = Seq.fill(3)(new Front(world, port)) // the last one finds no room
      for (front <- fronts) {
        front.ask(1, "/body", 60000)
        for (_ <- 1 to 3) front.send(1, 10000)
        front.ask(2, "/late", 30000)
        for (_ <- 1 to 3) front.send(2, 10000)
        for (_ <- 1 to 3) front.send(1, 10000)
        front.end(1)
        front.end(2)
        world.pass(20.millis.toNanos)
      }
      assert(!finds(world, port), "the memory is short")
      world.pass(5.seconds.toNanos)
      assertEquals(fronts.init.map(_.statuses), Seq.fill(2)(List("200", "200")))
      fronts
    }
  }
}
