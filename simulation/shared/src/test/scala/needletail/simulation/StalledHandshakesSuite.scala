package needletail.simulation

import scala.concurrent.duration._

import needletail.io.{Tls, TlsCertificate, TlsIdentity, TlsLimits, TlsServerConfig}
import needletail.routing._
import needletail.server._
import needletail.simulation.peer.SimpleClient
import needletail.simulation.service.Service
import needletail.simulation.tls.{PlatformTlsEngines, TestKeys, TlsPeerConnection}
import needletail.simulation.world.{Endpoint, FaultRates, PeerConnection, World}
import needletail.testing.Suite

/** Which of the clients that are stalled in their handshakes makes room for others. */
class StalledHandshakesSuite extends Suite {
  private def client(end: PeerConnection, heard: Int => Unit = _ => ()): SimpleClient =
    new SimpleClient(end)((_, n) => heard(n), _ => ())

  private def get(path: String): Array[Byte] = Service.ascii(s"GET /$path HTTP/1.1\r\nHost: a\r\n\r\n")

  /** A record with the first byte of a greeting. */
  private val record = Array[Byte](22, 3, 1, 0, 1, 1)

  /** A server with one loop, and room for two handshakes unless said otherwise. */
  private final class Crowded(
      val world: World,
      val tls: TlsIdentity,
      engines: PlatformTlsEngines,
      port: Int
  ) {
    var answered = 0 // bytes that came to secure clients

    def connected(): Endpoint        = world.network.connect(port)
    def pass(millis: Long): Unit     = world.pass(millis * 1000000)
    def greeting(): Array[Byte]      = engines.client("localhost", isOld = false, null).output()
    def secureClient(): SimpleClient = client(
      new TlsPeerConnection(
        world,
        connected(),
        engines.client("localhost", isOld = false, null),
        TlsPeerConnection.Plan.plain,
        1.hour.toNanos
      ),
      answered += _
    )
  }

  private def crowded(
      name: String,
      handshakes: Int = 2,
      timeout: FiniteDuration = 10.minutes,
      proxies: Seq[String] = Nil
  )(body: Crowded => Seq[SimpleClient]): Unit = test(name) {
    if (PlatformTlsEngines.missing == null) {
      val world = new World(1)
      world.faults = FaultRates.none
      val engines = new PlatformTlsEngines
      val chain   = TlsCertificate(TestKeys.file(TestKeys.one), TestKeys.file(TestKeys.key))
      val limits  = TlsLimits(handshakes = handshakes, timeout = timeout)
      val tls     = Tls.server(TlsServerConfig(Seq(chain), limits = limits))
      val routes  = Routes(GET / "hold" to { world.block(600.millis.toNanos); "held".ok })
      val config  =
        ServerConfig(
          loops = 1,
          blockedLoop = Duration.Zero,
          log = Log.none,
          tls = Some(tls),
          proxies = proxies,
          headTimeout = 1.hour
        )
      val server = Server(routes, config).startOn(world.platform)
      try body(new Crowded(world, tls, engines, server.port)).foreach(_.close())
      finally {
        val _ = server.drain()
        world.pass(20.seconds.toNanos)
        engines.close()
      }
      assertEquals(world.findings.toList, Nil)
    }
  }

  crowded("of several that are found at once, as the loop was held, who is stalled longest") { server =>
    import server._
    val established = secureClient()
    established.send(get("other"))
    pass(1000)
    assertEquals((tls.counts.full, tls.counts.present), (1L, 0L))
    val further = client(connected()) // has been answered
    further.send(greeting())
    val begins = client(connected()) // has not, which counts twice
    begins.send(record)
    pass(20)
    assertEquals(tls.counts.present, 2L)
    val newcomers = Seq.fill(2)(client(connected())) // it is seen that handshakes are too many
    pass(80)
    established.send(get("hold")) // and then both have been stalled for too long
    pass(700)
    assertEquals((begins.isOver, further.isOver, tls.counts.present), (true, false, 1L))
    newcomers ++ Seq(established, further, begins)
  }

  crowded("clients that send a greeting in records of one byte, steadily, make room as others do") { server =>
    import server._
    val bytes               = greeting().drop(5)
    val trickling           = Seq.fill(2)(client(connected()))
    def send(at: Int): Unit = {
      trickling.foreach(_.send(record.take(5) :+ bytes(at)))
      if (at < 30) world.after(100.millis.toNanos)(send(at + 1))
    }
    send(0)
    pass(20)
    assertEquals(tls.counts.present, 2L)
    val silent = client(connected()) // when it is accepted, it is seen that handshakes are too many
    pass(20)
    val newcomer = secureClient()
    newcomer.send(get("other"))
    pass(1000)
    assertEquals(tls.counts.full, 1L)
    trickling ++ Seq(silent, newcomer)
  }

  crowded("a newcomer behind very many that are stalled is served soon", handshakes = 8) { server =>
    import server._
    def stalled(): SimpleClient = {
      val one = client(connected())
      one.send(record)
      one
    }
    val first = Seq.fill(8)(stalled())
    pass(20)
    assertEquals(tls.counts.present, 8L)
    val silent = client(connected()) // when it is accepted, it is seen that handshakes are too many
    pass(20)
    val others   = Seq.fill(300)(stalled())
    val newcomer = secureClient()
    pass(4000) // at most 64 are accepted at once, and each has a quarter of a second
    assertEquals(tls.counts.full, 1L)
    first ++ others ++ Seq(silent, newcomer)
  }

  crowded("only who has not made its handshake is held to the time for it", timeout = 2.seconds) { server =>
    import server._
    val established = secureClient()
    established.send(get("other"))
    val begun = client(connected())
    begun.send(greeting())
    val silent = client(connected())
    pass(1900)
    assertEquals((begun.isOver, silent.isOver, tls.counts.full), (false, false, 1L))
    assert(answered > 0)
    pass(200)
    assertEquals((begun.isOver, silent.isOver), (true, true))
    pass(5000)
    assert(!established.isOver, "its time went on after the handshake")
    val before = answered
    established.send(get("other"))
    pass(1000)
    assert(answered > before)
    Seq(established, begun, silent)
  }

  crowded(
    "a PROXY header and the handshake after it have that time together",
    timeout = 2.seconds,
    proxies = Seq("0.0.0.0/0", "::/0")
  ) { server =>
    import server._
    val late = client(connected())
    pass(1500)
    late.send(Service.ascii("PROXY TCP4 192.0.2.1 192.0.2.2 4711 443\r\n") ++ record)
    pass(300)
    assert(!late.isOver)
    pass(300)
    assert(late.isOver)
    Seq(late)
  }
}
