package needletail.client

import java.util.Random

import scala.concurrent.{Await, Future}
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.client.config.{BalancingConfig, BreakerConfig, ClientConfig, RetryConfig}
import needletail.client.cookies.CookieJar
import needletail.client.error.ClientError
import needletail.http._
import needletail.io.{ConnectionOptions, LentLoops}
import needletail.server.ServerFixture
import needletail.testing.{Suite, TinyLimits}

/**
 * Every setting of the client at its smallest value, in random combinations: each call ends, with a response or a
 * ClientError, and nothing is left of it. The other limits are short as well: unread streams and requests without an
 * answer use them up, so that longer ones would make this slow.
 */
class TinyLimitsSuite extends Suite with Serving with TinyLimits with LentLoops {
  override def munitTimeout: Duration = 3.minutes

  private val handler: Handler = request =>
    request.path match {
      case "/echo"   => Response.ok.stream(request.body.stream)
      case "/whole"  => request.body.bytes.map(Response.ok.bytes(_))
      case "/slow"   => Async.sleep(3.millis).map(_ => Response.ok("slow"))
      case "/never"  => new AsyncPromise[Response]
      case "/big"    => Response.ok.bytes(new Array[Byte](300000))
      case "/pieces" => Response.ok.stream(ByteStream.fromIterator(Iterator.fill(60)(new Array[Byte](2000))))
      case "/head"   => Response.ok("head").header("X-Long", "x" * 3000).header("Set-Cookie", "a=b")
      case "/away"   => Response(Status.SeeOther).header("Location", "/slow")
      case "/circle" => Response(Status.SeeOther).header("Location", "/circle")
      case "/busy"   => Response(Status.ServiceUnavailable).text("busy")
      case "/last"   => Response.ok("last").close
      case path      => Response.ok(path)
    }

  private def configured(random: Random): ClientConfig = {
    val values = new TinyLimits.Values(random)
    import values._
    ClientConfig(
      loops = one(1, 2),
      connectionsPerHost = often(10, 1, 2),
      maxQueued = often(100, 0, 1),
      queueTimeout = time(300.millis),
      connectTimeout = time(1.second),
      requestTimeout = time(500.millis),
      attemptTimeout = one(None, None, Some(time(200.millis))),
      bodyTimeout = time(300.millis),
      idleTimeout = time(10.seconds),
      continueTimeout = time(100.millis),
      maxHead = often(32 * 1024, 1, 100),
      maxHeaders = often(100, 1),
      maxBodyInMemory = often(1000000, 0, 1),
      maxUnreadBody = often(100000, 0, 1),
      maxPendingOutput = often(100000, 1),
      maxRedirects = often(5, 0, 1),
      pipelining = often(1, 2, 8),
      maxHosts = often(10, 1),
      cookies = one(None, Some(new CookieJar)),
      retry = often(
        RetryConfig(),
        RetryConfig(attempts = 1),
        RetryConfig(attempts = 2, firstDelay = 1.nano, maxDelay = 1.nano, budget = 0, reserve = 0, saving = 0)
      ),
      breaker = often(
        BreakerConfig(enabled = false),
        BreakerConfig(window = 1.second, minCalls = 1, failureRatio = 0.01, openFor = 1.nano, probes = 1)
      ),
      balancing = often(BalancingConfig(), BalancingConfig(failures = 1, ejectFor = 1.nano)),
      socket = ConnectionOptions(
        maxLeftover = 64 * 1024,
        sendBuffer = often(None, Some(1)),
        receiveBuffer = often(None, Some(1))
      )
    )
  }

  private def drained(stream: ByteStream): Async[Unit] = stream.next().flatMap {
    case Some(_) => drained(stream)
    case None    => Async.unit
  }

  private def content(pieces: Int): ByteStream =
    ByteStream.fromIterator(Iterator.fill(pieces)(new Array[Byte](1000)))

  /** One call of some kind. */
  private def call(client: Client, url: String, random: Random): Future[Any] = {
    val paths = Vector("/a", "/slow", "/big", "/pieces", "/head", "/away", "/circle", "/busy", "/last")
    val path  = if (random.nextInt(20) == 0) "/never" else paths(random.nextInt(paths.size))
    val get   = client.get(url + path)
    val timed = random.nextInt(6) match {
      case 0 => get.timeout(1.nano)
      case 1 => get.timeout(1.milli)
      case _ => get
    }
    random.nextInt(10) match {
      case 0 => client.post(s"$url/whole").body(new Array[Byte](50000)).future
      case 1 => client.post(s"$url/echo").body(content(40)).future
      case 2 => client.put(s"$url/echo").body(content(40), 40000).expectContinue.future
      case 3 => client.run(timed.stream.flatMap(r => drained(r.body)))
      case 4 => client.run(timed.stream.flatMap(r => r.body.next().map(_ => r.body.cancel())))
      case 5 => client.run(timed.stream) // which nobody reads
      case 6 =>
        client.run {
          val response = timed.response
          Async.sleep(1.milli).map(_ => response.cancel())
        }
      case 7 => client.head(url + path).future
      case _ => timed.future
    }
  }

  private val outcomes = new Outcomes(_.isInstanceOf[ClientError])

  private def play(seed: Long): Unit = {
    val random = new Random(seed)
    val config = configured(random)
    val lent   = sometimesLent(random, config.loops)
    val clue   = s"seed $seed: $config"
    ServerFixture.serving(handler, serverConfig.copy(lingerTimeout = 1.second)) { server =>
      val client = if (lent == null) Client(config) else Client(config, lent)
      try {
        val urls = Vector(server.url, server.url.replace("127.0.0.1", "localhost"))
        atOnce(4, random, clue) { own =>
          (1 to 4).flatMap { _ =>
            List
              .fill(1 + own.nextInt(5))(call(client, urls(own.nextInt(20) / 19), own))
              .flatMap(outcomes.ofAny("a call", _))
          }
        }
        eventually(
          client.statistics.forall(s => s.inFlight == 0 && s.waiting == 0),
          s"${client.statistics}; $clue"
        )
      } finally client.close()
      assert(
        client.statistics.forall(s => s.inFlight == 0 && s.waiting == 0),
        s"${client.statistics} after the end; $clue"
      )
      endLent(lent, clue)
      eventually(
        Await.result(server.statistics, 20.seconds).connectionsOpen == 0,
        s"connections are open; $clue"
      )
    }
  }

  randomCombinations(20, outcomes)(play)
}
