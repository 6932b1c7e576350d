package needletail.simulation

import scala.concurrent.duration._

import needletail.async.AsyncPromise
import needletail.http.Reply
import needletail.routing._
import needletail.server._
import needletail.simulation.peer.SimpleClient
import needletail.simulation.service.Service
import needletail.simulation.world.{FaultRates, World}
import needletail.testing.Suite

/** Whom memory is taken from when it is short, and how much of it. */
class MemoryReliefSuite extends Suite {
  private val routes = Routes(
    POST / "body" + request to (r => r.body.bytes.map(bytes => Response.ok.text(bytes.length.toString))),
    GET / "never" to (new Reply.Later(new AsyncPromise[Response]): Reply),
    GET / "large" to (Response.ok.bytes(new Array[Byte](40000))),
    POST / "large" + request to (_ => Response.ok.bytes(new Array[Byte](40000)))
  )

  private val budget = 256 * 1024 // three quarters of it are for large requests

  private trait Peer {
    def close(): Unit
  }

  /** Someone who sends some of a request, when told so, and perhaps the rest. */
  private final class Sender(world: World, port: Int, head: String, content: Int = 0) extends Peer {
    private val answer = new StringBuilder
    private val caller = new SimpleClient(world.network.connect(port))(
      (bytes, n) => { answer.append(new String(bytes, 0, n, "US-ASCII")); () },
      _ => ()
    )

    def status: String = answer.toString.slice(9, 12)

    private def send(bytes: Array[Byte]): Unit = {
      caller.send(bytes)
      world.pass(20.millis.toNanos)
    }
    def begin(): Unit    = send(Service.ascii(head) ++ new Array[Byte](math.max(0, content - 1)))
    def sendRest(): Unit = send(new Array[Byte](1))
    def close(): Unit    = caller.close()
  }

  private def serving(test: (World, RunningServer) => Seq[Peer]): Unit = {
    val world = new World(1)
    world.faults = FaultRates.none
    val config = ServerConfig(
      loops = 1,
      memoryBudget = budget.toLong,
      bodyTimeout = 1.minute,
      minBodyRate = 0,
      handlerTimeout = 2.minutes,
      halfCloseGrace = 100.millis,
      overload = OverloadConfig.off,
      blockedLoop = Duration.Zero,
      log = Log.none
    )
    val server = Server(routes, config).startOn(world.platform)
    val peers  = test(world, server)
    peers.foreach(_.close())
    world.pass(1.second.toNanos)
    val _ = server.drain()
    world.pass(20.seconds.toNanos)
    world.checkIdle()
    assertEquals(world.findings.toList, Nil)
  }

  private def body(world: World, server: RunningServer, size: Int): Sender =
    new Sender(world, server.port, s"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: $size\r\n\r\n", size)

  // All are there from the beginning, so that it is seen at the same time that they are stalled.

  test("who holds most loses it first, and the others go on") {
    serving { (world, server) =>
      val large = body(world, server, 110000)
      val small = Seq.fill(14)(body(world, server, 9000))
      val all   = large +: small // together more than three quarters
      all.foreach(_.begin())
      assertEquals(all.map(_.status).toSet, Set(""), "none is refused at once")
      world.pass(1200.millis.toNanos) // a second without anything from them, and what a look takes
      assertEquals(large.status, "503")
      small.foreach(_.sendRest())
      assertEquals(small.map(_.status).toList, List.fill(14)("200"))
      all
    }
  }

  test("what cannot be taken back does not count: half of the rest is to be free") {
    serving { (world, server) =>
      val head   = "GET /never HTTP/1.1\r\nHost: a\r\nX: " + "x" * 30000 + "\r\n\r\n"
      val heads  = Seq.fill(3)(new Sender(world, server.port, head)) // 90 kB that handlers have
      val bodies = Seq(50000, 50000, 10000).map(body(world, server, _))
      (heads ++ bodies).foreach(_.begin())
      assertEquals(bodies.map(_.status).toSet, Set(""), "none is refused at once")
      world.pass(1200.millis.toNanos)
      assertEquals(bodies.map(_.status).sorted.toList, List("", "", "503"))
      heads ++ bodies
    }
  }

  /** Someone who reads nothing of a reply, of which the network takes little, until told to. */
  private final class Reader(world: World, port: Int) extends Peer {
    private val end = Iterator.continually(world.network.connect(port)).map { end =>
      if (end.capacity != 4096) end.close()
      end
    }.find(_.capacity == 4096).get
    var got            = 0
    private val caller = new SimpleClient(end, reads = false)((_, n) => got += n, _ => ())

    def send(text: String): Unit = caller.send(Service.ascii(text))
    def isReset: Boolean         = end.isReset
    def read(): Unit             = caller.beginToRead()
    def close(): Unit            = caller.close()
  }

  private def post(size: Int) = s"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: $size\r\n\r\n"

  for (
    (what, count, pieces) <- Seq( // together they hold more than three quarters
      ("head", 6, "GET /large HTTP/1.1\r\nHost: a".map(_.toString)),
      ("content", 5, post(100) +: Seq.fill(28)("x"))
    )
  )
    test(s"who reads nothing of a reply loses it, whatever it sends of the $what of its next request") {
      serving { (world, server) =>
        val readers = Seq.fill(count)(new Reader(world, server.port))
        readers.foreach(_.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n"))
        for (piece <- pieces) { // 7 s, of which they have 5
          world.pass(250.millis.toNanos)
          readers.foreach(_.send(piece))
        }
        val (lost, others) = readers.partition(_.isReset)
        assert(lost.nonEmpty && others.size >= 2, lost.size)
        others.foreach(_.read())
        world.pass(3.seconds.toNanos)
        assert(others.forall(_.got > 40000), others.map(_.got))
        readers
      }
    }

  test("who reads nothing of a reply as it still sends the content of its request keeps it") {
    serving { (world, server) =>
      val readers = Seq.fill(6)(new Reader(world, server.port))
      readers.foreach(_.send("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 40000\r\n\r\n"))
      for (_ <- 1 to 40) { // 10 s
        world.pass(250.millis.toNanos)
        readers.foreach(_.send("x" * 1000))
      }
      assertEquals(readers.count(_.isReset), 0)
      readers.foreach(_.read())
      world.pass(3.seconds.toNanos)
      assert(readers.forall(_.got > 40000), readers.map(_.got))
      readers
    }
  }
}
