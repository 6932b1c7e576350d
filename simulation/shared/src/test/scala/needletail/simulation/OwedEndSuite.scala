package needletail.simulation

import scala.concurrent.duration._

import needletail.async.Async
import needletail.io.{Tls, TlsCertificate, TlsServerConfig}
import needletail.routing._
import needletail.server._
import needletail.simulation.service.Service
import needletail.simulation.tls.{PlatformTlsEngines, TestKeys, TlsEngine}
import needletail.simulation.world.{Endpoint, World}
import needletail.testing.Suite

/** Clients that do not take the end of a TLS stream. */
class OwedEndSuite extends Suite with QuietWorlds {

  /** What is left of the end, in bytes, while the client does not read. */
  private val Owed = 5

  /** The room for what a client has not read. */
  private val Room = 4096

  private final class Asking(world: World, engine: TlsEngine, port: Int) {
    private val scratch   = new Array[Byte](16384)
    private var isReading = true
    private var count     = 0
    val end: Endpoint     = Iterator.continually(world.network.connect(port)).find { end =>
      val isRight = end.capacity == Room && end.peer.capacity > Room
      if (!isRight) end.close()
      isRight
    }.get
    end.onChange = () => act()
    act()

    /** Bytes within TLS that it has got. */
    def got: Int = count

    def isTold: Boolean = engine.isEnded

    def act(): Unit = {
      while (isReading && end.hasInput) engine.receive(scratch, end.take(scratch, 0, scratch.length))
      while (engine.hasPlain) count += engine.take(scratch, 0, scratch.length)
      send(engine.output())
    }

    private def send(bytes: Array[Byte]): Unit = if (end.put(bytes, 0, bytes.length) < bytes.length)
      fail("the server has no room")

    /** Asks for so many bytes, ends its own stream, and reads no more. */
    def ask(size: Int): Unit = {
      isReading = false
      val request = Service.ascii(s"GET /$size HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      engine.send(request, 0, request.length)
      engine.end()
      send(engine.output())
      end.endOutput()
    }

    def beginToRead(): Unit = {
      isReading = true
      act()
    }
  }

  private def served(body: (World, () => Asking) => Unit): Unit = if (PlatformTlsEngines.missing == null)
    inWorld() { world =>
      val engines = new PlatformTlsEngines
      val chain   = TlsCertificate(TestKeys.file(TestKeys.one), TestKeys.file(TestKeys.key))
      val routes  = Routes(GET / arg[Int] to { n => Async.sleep(20.millis).map(_ => ("x" * n).ok) })
      val config  = ServerConfig(
        loops = 1,
        blockedLoop = Duration.Zero,
        log = Log.none,
        tls = Some(Tls.server(TlsServerConfig(Seq(chain))))
      )
      val server = Server(routes, config).startOn(world.platform)
      try
        body(
          world,
          () => {
            val client = new Asking(world, engines.client("localhost", isOld = false, null), server.port)
            world.pass(3.seconds.toNanos)
            client
          }
        )
      finally {
        val _ = server.drain()
        world.pass(20.seconds.toNanos)
        engines.close()
      }
    }

  test("a loop waits for room for the end of a TLS stream, whose client has ended its own") {
    served { (world, connected) =>
      val whole = connected()
      whole.ask(1000)
      world.pass(100.millis.toNanos)
      val all = whole.end.unread
      whole.beginToRead()
      assert(whole.got > 1000 && whole.end.hasEnd, whole.got)
      whole.end.close()
      val partly = connected()
      partly.ask(Room - (all - 1000) + Owed)
      world.pass(1.second.toNanos) // too many turns in it are found
      assertEquals(partly.end.unread, Room)
      assert(!partly.end.hasEndArrived)
      partly.beginToRead()
      world.pass(100.millis.toNanos)
      assert(partly.isTold && partly.end.hasEnd, partly.got)
      partly.end.close()
    }
  }
}
