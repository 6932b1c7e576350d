package needletail.server

import java.io.IOException
import java.net.SocketTimeoutException
import java.util.Random

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.Async
import needletail.http._
import needletail.io.Address
import needletail.testing.{Suite, TinyLimits}

/** Every setting at its smallest value, in random combinations: each connection is answered or ended, and the server drains. */
class TinyLimitsSuite extends Suite with TinyLimits {
  override def munitTimeout: Duration = 2.minutes

  private val handler: Handler = request =>
    request.path match {
      case "/echo"   => Response.ok.stream(request.body.stream)
      case "/whole"  => request.body.bytes.map(Response.ok.bytes(_))
      case "/slow"   => Async.sleep(3.millis).map(_ => Response.ok("slow"))
      case "/big"    => Response.ok.bytes(new Array[Byte](300000))
      case "/pieces" => Response.ok.stream(ByteStream.fromIterator(Iterator.fill(60)(new Array[Byte](2000))))
      case path      => Response.ok(path)
    }

  private val smallest =
    OverloadConfig(true, 1.nano, 1.nano, 1.nano, Duration.Zero, 1, 1, 1, Duration.Zero)

  private def configured(random: Random): ServerConfig = {
    val values = new TinyLimits.Values(random)
    import values._
    def none(usual: FiniteDuration): FiniteDuration = often(usual, Duration.Zero, 1.nano, 1.milli)
    ServerConfig(
      address = Address.Tcp("127.0.0.1", 0),
      loops = one(1, 2),
      maxConnections = often(100, 1, 2),
      crowdedIdleTimeout = none(100.millis),
      backlog = often(100, 8),
      maxTarget = often(100, 1, 6),
      maxHead = often(40000, 100),
      maxHeaders = often(100, 1, 2),
      maxBody = often(1000000L, 0L, 1L),
      maxBodyInMemory = often(1000000, 0, 1),
      maxUnreadBody = often(100000, 0, 1),
      headTimeout = time(10.seconds),
      bodyTimeout = time(10.seconds),
      minBodyRate = often(256, 0, Int.MaxValue),
      bodyGrace = none(10.seconds),
      idleTimeout = time(10.seconds),
      writeTimeout = time(10.seconds),
      handlerTimeout = time(10.seconds),
      halfCloseGrace = none(1.second),
      maxPipelined = often(16, 1),
      maxPendingOutput = often(100000, 1),
      memoryBudget = often(0L, 256L * 1024),
      lingerTimeout = none(2.seconds),
      drainGrace = none(100.millis),
      streamKeepAlive = often(60.seconds, Duration.Zero, 1.nano, 1.second),
      blockedLoop = often(100.millis, Duration.Zero, 1.nano),
      overload = often(OverloadConfig(), OverloadConfig.off, smallest),
      log = Log.none
    )
  }

  private def get(path: String, more: String = "") = s"GET $path HTTP/1.1\r\nHost: a\r\n$more\r\n"
  private val last                                 = "Connection: close\r\n"

  /** What one client sends. */
  private def sent(random: Random): String = random.nextInt(9) match {
    case 0 => get("/slow", last)
    case 1 => get("/big", last)
    case 2 => get("/pieces", last)
    case 3 => get("/a") * 20 + get("/b", last)
    case 4 => s"POST /echo HTTP/1.1\r\nHost: a\r\n${last}Content-Length: 50000\r\n\r\n" + "x" * 50000
    case 5 => s"POST /whole HTTP/1.1\r\nHost: a\r\n${last}Content-Length: 50000\r\n\r\n" + "x" * 50000
    case 6 =>
      s"POST /echo HTTP/1.1\r\nHost: a\r\n${last}Transfer-Encoding: chunked\r\n\r\n" +
        ("3e8\r\n" + "x" * 1000 + "\r\n") * 30 + "0\r\nA: b\r\n\r\n"
    case 7 =>
      s"POST /b HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc" + get("/c", last)
    case _ => get("/d", "X: y\r\n" * 3 + last)
  }

  /** What is wrong with a connection; null if nothing is. */
  private def visit(server: RunningServer, text: String): String =
    try {
      val client = new RawClient(server.port)
      try {
        client.send(text)
        client.readAll()
        null
      } finally client.close()
    } catch {
      case _: SocketTimeoutException => s"not ended: ${text.take(60)}"
      case _: IOException            => null // refused or reset, as with times of a nanosecond
    }

  private def play(seed: Long): Unit = {
    val random = new Random(seed)
    val config = configured(random)
    val clue   = s"seed $seed: $config"
    ServerFixture.serving(handler, config) { server =>
      val visitors = List.fill(6) {
        val texts = List.fill(3)(sent(random))
        () => texts.map(visit(server, _)).filter(_ != null)
      }
      atOnce(visitors, clue)
      eventually(
        Await.result(server.statistics, 20.seconds).connectionsOpen == 0,
        s"connections are open; $clue"
      )
      Await.result(server.drain(), 20.seconds)
    }
  }

  test("random combinations")(playSeeds(60)(play))
}
