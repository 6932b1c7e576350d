package needletail.simulation

import scala.concurrent.duration._

import needletail.io.{Tls, TlsCertificate, TlsServerConfig}
import needletail.routing._
import needletail.server._
import needletail.simulation.service.Service
import needletail.simulation.tls.{PlatformTlsEngines, TestKeys, TlsEngine}
import needletail.simulation.world.{Endpoint, World}
import needletail.testing.Suite

/** Clients that do not take what TLS itself answers them. */
class UnreadAnswersSuite extends Suite with QuietWorlds {

  /** The room for what a client has not read. */
  private val Room = 4096

  // Requests for new keys, each with a part of a request's content, which is answered with 27 bytes.
  private val Rounds = 600
  private val Part   = 1200

  /** In one or two records more than `Part`. */
  private val Round = Part + 2 * 27

  /** What fits into the room in answers has been asked for, and a buffer has been filled with more. */
  private val Most = (Room / 27 + 1) * Round + 64 * 1024 + 10000

  private final class Asking(world: World, engine: TlsEngine, port: Int) {
    private val scratch   = new Array[Byte](16384)
    private val answer    = new StringBuilder
    private var isReading = true
    private var left      = Array.emptyByteArray // what the network has not taken yet
    val end: Endpoint     = Iterator.continually(world.network.connect(port)).find { end =>
      val isRight = end.capacity == Room && end.peer.capacity > Room
      if (!isRight) end.close()
      isRight
    }.get
    end.onChange = () => act()
    act()

    def got: String = answer.toString
    def unsent: Int = left.length
    def taken: Long = end.takenByPeer

    private def act(): Unit = {
      while (isReading && end.hasInput) engine.receive(scratch, end.take(scratch, 0, scratch.length))
      while (engine.hasPlain)
        answer.append(new String(scratch, 0, engine.take(scratch, 0, scratch.length), "US-ASCII"))
      left ++= engine.output()
      left = left.drop(end.put(left, 0, left.length))
    }

    /** Sends all of it, as far as it is taken, and reads nothing. */
    def ask(): Unit = {
      isReading = false
      val head = Service.ascii(s"POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: ${Rounds * Part}\r\n\r\n")
      engine.send(head, 0, head.length)
      for (_ <- 1 to Rounds) {
        engine.beginAnew()
        engine.send(new Array[Byte](Part), 0, Part)
      }
      act()
    }

    def beginToRead(): Unit = {
      isReading = true
      act()
    }
  }

  private val missing = PlatformTlsEngines.missing

  test(
    if (missing == null)
      "little is read from a TLS client that takes no answer to what it asks of TLS, and all once it takes them"
    else s"SKIPPED, no simulation of TLS: $missing"
  ) {
    inWorld() { world =>
      val engines = new PlatformTlsEngines
      val chain   = TlsCertificate(TestKeys.file(TestKeys.one), TestKeys.file(TestKeys.key))
      val routes  = Routes(POST / "count" + request to { r =>
        r.body.stream.fold(0)(_ + _.length).map(_.toString.ok)
      })
      val config = ServerConfig(
        loops = 1,
        blockedLoop = Duration.Zero,
        log = Log.none,
        bodyTimeout = 1.hour,
        minBodyRate = 0,
        writeTimeout = 1.hour,
        handlerTimeout = 1.hour,
        tls = Some(Tls.server(TlsServerConfig(Seq(chain))))
      )
      val server = Server(routes, config).startOn(world.platform)
      try {
        val client = new Asking(world, engines.client("localhost", isOld = false, null), server.port)
        world.pass(3.seconds.toNanos)
        client.ask()
        world.pass(3.seconds.toNanos)
        val before = client.taken
        assert(before > 100 * Part && before < Most, before)
        world.pass(10.seconds.toNanos) // too many turns in it are found
        assertEquals(client.taken, before)
        assert(client.unsent > 0)
        client.beginToRead()
        world.pass(10.seconds.toNanos)
        assert(client.got.endsWith(s"\r\n\r\n${Rounds * Part}"), client.got)
        client.end.close()
      } finally {
        val _ = server.drain()
        world.pass(20.seconds.toNanos)
        engines.close()
      }
    }
  }
}
