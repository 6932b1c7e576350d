package needletail.client

import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._

import needletail.async.Async
import needletail.client.config.{BreakerConfig, RetryConfig}
import needletail.testing.Suite

/**
 * Thousands of calls to a server that does everything, right and wrong, at random, while calls are cancelled at
 * random too: each comes to an end, none gets another one's answer, and nothing is left behind.
 */
class ChaosSuite extends Suite with Misbehaving {
  private final val Calls = 3000

  private def answer(peer: Peer): String =
    s"HTTP/1.1 200 OK\r\nContent-Length: ${peer.target.length}\r\n\r\n${peer.target}"

  private def chunked(peer: Peer): String = {
    val (a, b) = peer.target.splitAt(2)
    s"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n$a\r\n${b.length.toHexString}\r\n$b\r\n0\r\n\r\n"
  }

  /**
   * What may happen to a request. `inOrder` leaves out what would bring answers in another order than that of the
   * requests, or one too many before another: answers have no numbers, so nobody could tell.
   */
  private def behave(peer: Peer, dice: Int, inOrder: Boolean): Unit = {
    val whole = answer(peer)
    dice match {
      case 0              => peer.close()
      case 1              => peer.reset()
      case 2              => peer.send("garbage\r\n\r\n")
      case 3              => peer.send(whole.take(whole.length / 2)); peer.close()
      case 4 if !inOrder  => peer.send(whole + answerToNobody)
      case 5              => peer.send("HTTP/1.1 503 Later\r\nContent-Length: 5\r\n\r\nlater")
      case 6              => peer.send("HTTP/1.1 103 Hints\r\n\r\n" + whole)
      case 7              => peer.send(whole); peer.close()
      case 9 if !inOrder  => peer.later(5)(peer.send(whole))
      case 10 if !inOrder => peer.drip(whole, 1)
      case n if n % 2 == 0 => peer.send(chunked(peer))
      case _ => peer.send(whole)
    }
  }

  private val answerToNobody = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n/nobody!"

  private def chaos(config: ClientConfig, seed: Long, inOrder: Boolean): Unit = {
    val server = new java.util.Random(seed)     // on the server's loop
    val caller = new java.util.Random(seed + 1) // on the client's
    val wrong  = new AtomicInteger
    val right  = new AtomicInteger
    // Never answered, so that they wait for all of their time; the others have more than they need.
    def isMute(i: Int) = !inOrder && i % 59 == 8
    scripted(
      (peer, _) => if (!isMute(peer.target.drop(1).toInt)) behave(peer, server.nextInt(60), inOrder),
      config
    ) { (hosted, client) =>
      def check(path: String)(text: String): Boolean = {
        if (text == path || text == "later") right.incrementAndGet() else wrong.incrementAndGet()
        true
      }
      def one(service: Service, i: Int): Async[Boolean] = {
        val path = s"/$i"
        val call = if (i % 7 == 0) service.post(path) else service.get(path)
        val sent = call.timeout(if (isMute(i)) 1.second else 20.seconds).text.map(check(path)).recover {
          case _: ClientError => false
        }
        if (caller.nextInt(20) == 0) sent.race(Async.sleep(caller.nextInt(5).millis).map(_ => false))
        else sent
      }
      val service                     = client.service(hosted.url)
      def row(from: Int): Async[Unit] =
        if (from >= Calls) Async.unit else one(service, from).flatMap(_ => row(from + 50))
      client.await(Async.all((0 until 50).map(row)))
      eventually(
        service.statistics.inFlight == 0 && service.statistics.waiting == 0,
        s"seed $seed: ${service.statistics}"
      )
      eventually(service.statistics.open == service.statistics.idle, s"seed $seed: ${service.statistics}")
      assertEquals(wrong.get, 0, s"seed $seed: answers that belong to other calls")
      assert(right.get > Calls / 2, s"seed $seed: ${right.get} right answers; ${service.statistics}")
    }
  }

  private val base = clientConfig.copy(
    connectionsPerHost = 20,
    retry = RetryConfig(firstDelay = 1.milli, maxDelay = 5.millis),
    breaker = BreakerConfig(enabled = false)
  )

  test("without pipelining") {
    for (seed <- List(1L, 2L)) chaos(base, seed, inOrder = false)
  }

  test("with pipelining") {
    for (seed <- List(3L, 4L)) chaos(base.copy(pipelining = 4), seed, inOrder = true)
  }
}
