package needletail.websocket

import java.io.IOException
import java.util.Random
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.io.{Address, ConnectionOptions, LentLoops}
import needletail.routing._
import needletail.server.{Log, ServerConfig, ServerFixture}
import needletail.testing.{Suite, TinyLimits}

/**
 * Every setting of WebSockets at its smallest value, in random combinations, on both sides: each ends, and nothing is
 * left of it.
 */
class TinyLimitsSuite extends Suite with TinyLimits with LentLoops {
  override def munitTimeout: Duration = 3.minutes

  private val smallest = PerMessageDeflate(minSize = 0)
  private val largest  = PerMessageDeflate(minSize = 0, contextTakeover = true)

  private def configured(random: Random): WebSocketConfig = {
    val values = new TinyLimits.Values(random)
    import values._
    WebSocketConfig(
      maxMessage = often(100000, 1, 125),
      maxFrame = often(Long.MaxValue, 1L),
      maxPendingOutput = often(100000, 1),
      compression = one(None, None, Some(smallest), Some(largest)),
      pingInterval = often(10.seconds, Duration.Zero, 1.nano, 1.milli),
      pingTimeout = time(300.millis),
      closeTimeout = time(300.millis)
    )
  }

  private def client(random: Random): WebSocketClientConfig = {
    val values = new TinyLimits.Values(random)
    import values._
    WebSocketClientConfig(
      webSocket = configured(random),
      loops = 1 + random.nextInt(2),
      connectTimeout = often(1.second, 1.nano, 1.milli),
      handshakeTimeout = often(1.second, 1.nano, 1.milli),
      maxHead = often(1000, 1),
      maxUnsent = often(100000, 1),
      writeTimeout = often(1.second, 1.nano, 1.milli),
      socket = ConnectionOptions(sendBuffer = often(None, Some(1)), receiveBuffer = often(None, Some(1)))
    )
  }

  /** What has been opened and not yet been reported as closed, on both sides. */
  private val alive = new AtomicInteger

  private final class Counted(behind: Message => Unit) extends WebSocketListener {
    alive.incrementAndGet()
    def onMessage(message: Message): Unit                 = behind(message)
    override def onClose(code: Int, reason: String): Unit = { alive.decrementAndGet(); () }
  }

  /** What a client does with its WebSocket, which ends in the end. */
  private def use(socket: WebSocket, random: Random): Unit = {
    for (_ <- 0 to random.nextInt(5)) random.nextInt(5) match {
      case 0 => socket.send("")
      case 1 => socket.send("x" * 200)
      case 2 => socket.send(new Array[Byte](70000))
      case 3 => socket.ping(new Array[Byte](random.nextInt(126)))
      case _ => socket.whenWritable.map(_ => socket.send("again"))
    }
    random.nextInt(4) match {
      case 0 => socket.close()
      case 1 =>
        socket.pause()
        socket.close()
      case _ =>
        socket.loop.schedule(2000000L, () => socket.close())
        ()
    }
  }

  private val outcomes = new Outcomes(_.isInstanceOf[IOException])

  private def play(seed: Long): Unit = {
    val random = new Random(seed)
    val own    = client(random)
    val theirs = configured(random)
    val lent   = sometimesLent(random, own.loops)
    val clue   = s"seed $seed: $own; $theirs"
    val routes = Routes(
      GET / "echo" to webSocket.withConfig(theirs) { socket =>
        new Counted(message => socket ! message)
      }
    )
    val config =
      ServerConfig(
        address = Address.Tcp("127.0.0.1", 0),
        loops = 1,
        lingerTimeout = 1.second,
        log = Log.none
      )
    ServerFixture.serving(routes, config) { server =>
      val client = if (lent == null) WebSocketClient(own) else WebSocketClient(own, lent)
      val url    = s"ws://127.0.0.1:${server.port}/echo"
      atOnce(3, random, clue) { choice =>
        (1 to 4).flatMap { _ =>
          List.fill(1 + choice.nextInt(3)) {
            val seed = choice.nextLong()
            client.future(url) { socket =>
              use(socket, new Random(seed))
              new Counted(_ => ())
            }
          }.flatMap(outcomes.ofAny("opening", _))
        }
      }
      eventually(alive.get == 0, s"${alive.get} are not closed; $clue")
      client.close()
      eventually(
        Await.result(server.statistics, 20.seconds).connectionsOpen == 0,
        s"connections are open; $clue"
      )
      endLent(lent, clue)
    }
  }

  randomCombinations(60, outcomes)(play)
}
