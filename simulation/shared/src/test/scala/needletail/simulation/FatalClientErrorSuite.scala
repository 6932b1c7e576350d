package needletail.simulation

import java.nio.charset.StandardCharsets.US_ASCII

import scala.collection.mutable.ArrayBuffer
import scala.concurrent.duration._
import scala.util.{Failure, Try}

import needletail.async.Async
import needletail.client.Client
import needletail.client.config.{BreakerConfig, ClientConfig, RetryConfig}
import needletail.http.{Reply, Response}
import needletail.http.message.Status
import needletail.io.{Address, Connector, EventLoops}
import needletail.routing._
import needletail.server.{Answer, Log, Server}
import needletail.server.tcp.TcpServer
import needletail.simulation.scenario.Scenario
import needletail.simulation.world.{FaultRates, World}
import needletail.tcp._
import needletail.testing.Suite

/** A fatal error of user code ends a client's loop, and everything that has begun on it, whatever it has interrupted. */
class FatalClientErrorSuite extends Suite with QuietWorlds {
  private def fatal: Nothing = throw new OutOfMemoryError("for a test")

  /** What the callers were told: each of them throws, if `isFatal`. */
  private final class Told(isFatal: Boolean) {
    private val all = new ArrayBuffer[String]

    def apply(name: String)(result: Try[_]): Unit = {
      all += s"$name ${result.fold(_.getClass.getSimpleName, _ => "answered")}"
      if (isFatal) fatal
    }
    def sorted: List[String] = all.sorted.toList
  }

  // A client of lines

  private var encodes: String => Unit = _ => ()
  private var decodes: () => Unit     = () => ()

  private object Lines extends Codec[String, String] {
    def decoder(): Decoder[String] = (bytes, from, until) => {
      val end = bytes.indexOf('\n'.toByte, from)
      if (end < 0 || end >= until) Decoded.More
      else Decoded.Message(new String(bytes, from, end - from, US_ASCII), end + 1)
    }
    def encode(line: String): Array[Byte] = (line + "\n").getBytes(US_ASCII)
  }

  private var sessions = 0

  private object Sessions extends TcpProtocol[String, String](new Codec[String, String] {
        def decoder(): Decoder[String] = {
          decodes()
          Lines.decoder()
        }
        def encode(line: String): Array[Byte] = {
          encodes(line)
          Lines.encode(line)
        }
      }) {
    override def connected(session: TcpSession[String, String]): Async[Unit] = {
      sessions += 1
      Async.sleep(100.millis) // requests wait for it
    }
    override def disconnected(session: TcpSession[String, String]): Unit = sessions -= 1
  }

  private def answer(line: String): Async[Answer[String]] =
    Async.sleep(1.second).map { _ =>
      if (line == "end") Answer(Nil, close = true) else Answer(Seq(line), close = false)
    }

  /** What the callers of these lines are told; the client's loop has ended when that is complete. */
  private def lines(asking: TcpClientConfig, told: Told)(calls: String*): List[String] = inWorld() { world =>
    sessions = 0
    val config = Scenario.serverConfig(Log.none).copy(loops = 1)
    val server = TcpServer.serveOn(world.platform, Lines, config)(_ => answer)
    val loops  = new EventLoops(1, "client", platform = world.platform)
    val client = TcpClient(Sessions, server.address, asking, loops)
    loops(0).execute { () =>
      calls.foreach { line =>
        val answer =
          try client.call(line)
          catch { case e: OutOfMemoryError => told(line)(Failure(e)); throw e }
        answer.onComplete(told(line))
      }
    }
    world.pass(20.seconds.toNanos)
    assertEquals(world.fatalLoops, 1)
    assertEquals(sessions, 0, "sessions that were not told their end")
    val s = client.statistics
    assertEquals((s.open, s.inFlight, s.waiting), (0, 0, 0))
    server.close()
    world.pass(10.seconds.toNanos)
    told.sorted
  }

  private val one = TcpClientConfig(connections = 1, pipelining = 4)

  test("requests in flight, and one that waits, as the first of them is told that the connection is lost") {
    val told = lines(one.copy(pipelining = 3), new Told(isFatal = true))("end", "a", "b", "c")
    assertEquals(told.map(_.takeWhile(_ != ' ')), List("a", "b", "c", "end"))
    assert(told.contains("end ConnectionLost"), told.toString)
    assert(!told.exists(_.contains("answered")), told.toString)
  }

  test("a request that cannot be encoded, and those around it that wait for the connection") {
    encodes = line => if (line == "b") fatal
    try
      assertEquals(
        lines(one, new Told(isFatal = false))("a", "b", "c"),
        List("a Closed", "b NotEncoded", "c Closed")
      )
    finally encodes = _ => ()
  }

  test("a connection that cannot be used, and the request that it is opened for") {
    decodes = () => fatal
    try assertEquals(lines(one, new Told(isFatal = false))("a"), List("a OutOfMemoryError"))
    finally decodes = () => ()
  }

  test("an attempt to connect, now or later, whose handler cannot be made") {
    for (seed <- 1L to 10L) {
      val world = new World(seed)
      world.faults = FaultRates.none.copy(shortReads = 1) // it connects later at times
      world.network.listen(4000, _ => ())
      val loops = new EventLoops(1, "client", platform = world.platform)
      val told  = new Told(isFatal = false)
      loops(0).execute { () =>
        val connection =
          try Connector.connect(Address.Tcp("127.0.0.1", 4000), loops(0))(_ => fatal)
          catch { case e: OutOfMemoryError => told("it")(Failure(e)); throw e }
        connection.onComplete(told("it"))
      }
      world.pass(20.seconds.toNanos)
      assertEquals(told.sorted, List("it OutOfMemoryError"), s"seed $seed")
      assertEquals(world.fatalLoops, 1)
    }
  }

  test("an attempt to connect whose name is being looked up") {
    inWorld() { world =>
      val loops = new EventLoops(1, "client", platform = world.platform)
      val told  = new Told(isFatal = false)
      loops(0).execute { () =>
        Connector.connect(Address.Tcp("shop", 80), loops(0))(_ => fatal).onComplete(told("it"))
        fatal
      }
      world.pass(20.seconds.toNanos)
      assertEquals(told.sorted, List("it ConnectException"))
    }
  }

  // An HTTP client

  private def later: Reply = Async.sleep(2.seconds).map(_ => Response.ok("later"))

  /** What the callers of these paths are told. */
  private def calls(config: ClientConfig, told: Told)(paths: String*): List[String] = inWorld() { world =>
    val routes = Routes(
      GET / "now" to Response.ok("now"),
      GET / "busy" to Response(Status.ServiceUnavailable),
      GET / "later" to later
    )
    val server = Server(routes, Scenario.serverConfig(Log.none).copy(loops = 1)).startOn(world.platform)
    val loops  = new EventLoops(1, "client", platform = world.platform)
    val client = Client(config, loops)
    loops(0).execute { () =>
      paths.foreach { path =>
        client.get(s"http://127.0.0.1:${server.port}/$path").response.onComplete(told(path))
      }
    }
    world.pass(20.seconds.toNanos)
    assertEquals(world.fatalLoops, 1)
    client.statistics.foreach { s =>
      assertEquals((s.open, s.inFlight, s.waiting, s.idle), (0, 0, 0, 0))
      assertEquals(s.addresses.map(_.inFlight).sum, 0)
    }
    server.close()
    world.pass(10.seconds.toNanos)
    told.sorted
  }

  test("a call in flight and calls that wait for a connection") {
    for (pipelining <- Seq(1, 2, 4)) {
      val config = ClientConfig(connectionsPerHost = 1, pipelining = pipelining)
      assertEquals(
        calls(config, new Told(isFatal = true))("now", "later", "later", "later"),
        List.fill(3)("later ClientClosed") :+ "now answered",
        s"pipelining $pipelining"
      )
    }
  }

  test("a call that pauses before its next attempt") {
    val config = ClientConfig(
      requestTimeout = 1000.seconds,
      retry = RetryConfig(firstDelay = 500.seconds, maxDelay = 500.seconds),
      breaker = BreakerConfig(minCalls = 1000)
    )
    assertEquals(
      calls(config, new Told(isFatal = true))("busy", "later"),
      List("busy ClientClosed", "later answered")
    )
  }
}
