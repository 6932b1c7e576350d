package needletail.simulation

import scala.concurrent.duration._

import needletail.io.{Tls, TlsCertificate, TlsLimits, TlsServerConfig}
import needletail.routing._
import needletail.server._
import needletail.simulation.peer.SimpleClient
import needletail.simulation.service.Service
import needletail.simulation.tls.{PlatformTlsEngines, TestKeys, TlsPeerConnection}
import needletail.simulation.world.{FaultRates, PeerConnection, World}
import needletail.testing.Suite

/** Which of the clients that are stalled in their handshakes makes room for others. */
class StalledHandshakesSuite extends Suite {
  private def client(end: PeerConnection): SimpleClient = new SimpleClient(end)((_, _) => (), _ => ())

  private def get(path: String): Array[Byte] = Service.ascii(s"GET /$path HTTP/1.1\r\nHost: a\r\n\r\n")

  /** A record with the first byte of a greeting. */
  private val record = Array[Byte](22, 3, 1, 0, 1, 1)

  test("of several that are found at once, as the loop was held, who is stalled longest") {
    if (PlatformTlsEngines.missing == null) {
      val world = new World(1)
      world.faults = FaultRates.none
      val engines = new PlatformTlsEngines
      val chain   = TlsCertificate(TestKeys.file(TestKeys.one), TestKeys.file(TestKeys.key))
      val tls     =
        Tls.server(TlsServerConfig(Seq(chain), limits = TlsLimits(handshakes = 2, timeout = 10.minutes)))
      val routes = Routes(GET / "hold" to { world.block(600.millis.toNanos); "held".ok })
      val config =
        ServerConfig(
          loops = 1,
          blockedLoop = Duration.Zero,
          log = Log.none,
          tls = Some(tls),
          headTimeout = 1.hour
        )
      val server             = Server(routes, config).startOn(world.platform)
      def connected()        = world.network.connect(server.port)
      def pass(millis: Long) = world.pass(millis * 1000000)
      try {
        val established = client(new TlsPeerConnection(
          world,
          connected(),
          engines.client("localhost", isOld = false, null),
          TlsPeerConnection.Plan.plain,
          1.hour.toNanos
        ))
        established.send(get("other"))
        pass(1000)
        assertEquals((tls.counts.full, tls.counts.present), (1L, 0L))
        val further = client(connected()) // waits behind its first record
        further.send(record)
        val begins = client(connected()) // within its first record, which counts twice
        begins.send(record.take(1))
        pass(20)
        assertEquals(tls.counts.present, 2L)
        val newcomers = Seq.fill(2)(client(connected())) // it is seen that handshakes are too many
        pass(80)
        established.send(get("hold")) // and then both have been stalled for too long
        pass(700)
        assertEquals((begins.isOver, further.isOver, tls.counts.present), (true, false, 1L))
        (newcomers ++ Seq(established, further, begins)).foreach(_.close())
      } finally {
        val _ = server.drain()
        pass(20000)
        engines.close()
      }
      assertEquals(world.findings.toList, Nil)
    }
  }
}
