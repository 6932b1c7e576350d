package needletail.simulation

import scala.concurrent.duration._

import needletail.async.Async
import needletail.http.message.Headers
import needletail.http.{Request, Response, Tunnel, TunnelHandler, Upgrade}
import needletail.routing._
import needletail.server._
import needletail.server.tcp.{Answer, TcpServer}
import needletail.simulation.peer.SimpleClient
import needletail.simulation.service.Service
import needletail.simulation.world.World
import needletail.tcp.{Codec, Decoded, Decoder}
import needletail.testing.Suite

/** What has come is served, however late the turn is to which an earlier one has left it, even if the idle time has passed. */
class LateTurnSuite extends Suite with QuietWorlds {
  private val config = ServerConfig(
    loops = 1,
    idleTimeout = 100.millis,
    drainGrace = 100.millis,
    overload = OverloadConfig.off,
    blockedLoop = Duration.Zero,
    log = Log.none
  )

  /** What a client gets for what it sends at once, until its connection is idle and closed. */
  private def answers(world: World, port: Int, sends: String): String = {
    val got    = new StringBuilder
    val client = new SimpleClient(world.network.connect(port))(
      (bytes, n) => { got.append(new String(bytes, 0, n, "US-ASCII")); () },
      _ => ()
    )
    client.send(Service.ascii(sends))
    world.pass(5.seconds.toNanos)
    assert(client.isOver)
    got.toString
  }

  private def statuses(answer: String): List[String] =
    "HTTP/1.1 (\\d+)".r.findAllMatchIn(answer).map(_.group(1)).toList

  private def http(sends: String)(routes: (World, () => RunningServer) => Routes): List[String] =
    inWorld() { world =>
      var server: RunningServer = null
      server = Server(routes(world, () => server), config).startOn(world.platform)
      try statuses(answers(world, server.port, sends))
      finally {
        val _ = server.drain()
        world.pass(10.seconds.toNanos)
      }
    }

  private def get(path: String, fields: String = "") = s"GET /$path HTTP/1.1\r\nHost: a\r\n$fields\r\n"

  /** The turn in which the answer comes takes longer than the idle time. */
  private def late(world: World): Async[Unit] =
    Async.sleep(10.millis).map(_ => world.block(150.millis.toNanos))

  test("requests that have waited behind one that was answered in a long turn") {
    val sends = "POST /late HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n" + get("next") + get("next")
    val all   = http(sends) { (world, _) =>
      Routes(POST / "late" to late(world).map(_ => Response.ok), GET / "next" to Response.ok)
    }
    assertEquals(all, List("200", "200", "200"))
  }

  test("requests behind one whose upgrade was refused in a long turn") {
    val all = http(get("late", "Connection: upgrade\r\nUpgrade: other\r\n") + get("next")) { (world, _) =>
      Routes(GET / "late" to late(world).map(_ => Response.ok), GET / "next" to Response.ok)
    }
    assertEquals(all, List("200", "200"))
  }

  for (isDraining <- Seq(false, true))
    test(s"requests that a long turn has left to the next one; a drain begins in it: $isDraining") {
      val count = if (isDraining) 65 else 100
      val all   = http(get("first") + get("next") * (count - 1)) { (world, server) =>
        Routes(
          GET / "first" to {
            if (isDraining) { val _ = server().drain() }
            world.block(150.millis.toNanos)
            Response.ok
          },
          GET / "next" to Response.ok
        )
      }
      assertEquals(all, List.fill(count)("200"))
    }

  test("what has come behind a request for another protocol, which a long turn has left to the next one") {
    val much = "x" * 100000 // more than is read at once
    val echo = new Upgrade {
      def protocol: String                         = "echo"
      def accept(request: Request): Upgrade.Answer =
        new Upgrade.Accepted(Headers.empty, tunnel => new Echo(tunnel, much.length))
    }
    val all = inWorld() { world =>
      val routes =
        Routes(
          GET / "echo" to echo.response,
          GET / "block" to { world.block(150.millis.toNanos); Response.ok }
        )
      val server = Server(routes, config).startOn(world.platform)
      val sends  = get("block") + get("echo", "Connection: upgrade\r\nUpgrade: echo\r\n") + much
      try answers(world, server.port, sends)
      finally {
        val _ = server.drain()
        world.pass(10.seconds.toNanos)
      }
    }
    assertEquals((statuses(all), all.count(_ == 'x')), (List("200", "101"), much.length))
  }

  /** Returns what it gets, and ends after so many bytes. */
  private final class Echo(tunnel: Tunnel, private var left: Int) extends TunnelHandler {
    def receive(input: Array[Byte], from: Int, until: Int): Int = {
      tunnel.writer.write(input, from, until - from)
      left -= until - from
      if (left == 0) tunnel.finish()
      until
    }
    def peerEnded(): Unit      = ()
    def turn(): Unit           = ()
    def outputTaken(): Unit    = ()
    def deadlinePassed(): Unit = ()
    def drain(): Unit          = ()
    def closed(): Unit         = ()
    def held: Long             = 0
    def heldAhead: Long        = 0
    def relieve(): Unit        = ()
    def inputDropped(): Unit   = ()
  }

  test("messages that have waited behind one that was answered in a long turn") {
    object Doubling extends Codec[Int, Int] {
      def decoder(): Decoder[Int] = (bytes, from, until) => {
        val end = bytes.indexOf(';'.toByte, from)
        if (end < 0 || end >= until) Decoded.More
        else Decoded.Message(new String(bytes, from, end - from, "US-ASCII").toInt, end + 1)
      }
      def encode(answer: Int): Array[Byte] = Service.ascii(s"$answer;")
    }
    inWorld() { world =>
      val server = TcpServer.serveOn(world.platform, Doubling, config)(_ =>
        n => if (n == 1) late(world).flatMap(_ => Answer(2)) else Answer(2 * n)
      )
      try assertEquals(answers(world, server.port, "1;2;3;"), "2;4;6;")
      finally {
        val _ = server.drain()
        world.pass(10.seconds.toNanos)
      }
    }
  }
}
