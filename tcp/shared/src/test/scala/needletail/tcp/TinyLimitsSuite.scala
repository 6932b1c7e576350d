package needletail.tcp

import java.util.Random

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.Async
import needletail.io.LentLoops
import needletail.io.platform.ConnectionOptions
import needletail.testing.{Suite, TinyLimits}

/**
 * Every setting of the client at its smallest value, in random combinations: each request ends, with its own answer or
 * a TcpClientError, and nothing is left of it.
 */
class TinyLimitsSuite extends Suite with WithTestServer with TinyLimits with LentLoops {
  override def munitTimeout: Duration = 3.minutes

  /** Answers what it is asked for, in order: slowly, in parts, not at all, wrongly, or by ending the connection. */
  private final class Script extends ((TestPeer, String) => Unit) {
    private var slow =
      Map.empty[TestPeer, Vector[String]] // what waits for a slow answer; used on the server's loop

    def apply(peer: TestPeer, line: String): Unit =
      if (slow.contains(peer)) slow += peer -> (slow(peer) :+ line)
      else if (!peer.isMute) line.charAt(0) match {
        case 's' =>
          slow += peer -> Vector.empty
          peer.later(3.millis) {
            val behind = slow(peer)
            slow -= peer
            peer.send(s"$line\n")
            behind.foreach(apply(peer, _))
          }
        case 'm' => peer.isMute = true
        case 'p' =>
          peer.send(line.take(1))
          peer.send(line.drop(1) + "\n")
        case 'b' => peer.send("!\n")
        case 'c' => peer.close()
        case 'r' => peer.reset()
        case _   => peer.send(s"$line\n")
      }
  }

  private def configured(random: Random): TcpClientConfig = {
    val values = new TinyLimits.Values(random)
    import values.{often, time}
    val delay = often(5.millis, 1.nano)
    TcpClientConfig(
      loops = values.one(1, 2),
      connections = often(4, 1),
      pipelining = often(16, 1),
      maxQueued = often(100, 1),
      connectTimeout = time(1.second),
      requestTimeout = time(300.millis),
      stallTimeout = time(500.millis),
      idleTimeout = time(10.seconds),
      keepConnected = random.nextInt(4) == 0,
      reconnectDelay = delay,
      maxReconnectDelay = often(20.millis, delay).max(delay),
      maxMessage = often(100000, 1, 10),
      maxPendingOutput = often(100000, 1),
      socket = ConnectionOptions(sendBuffer = often(None, Some(1)), receiveBuffer = often(None, Some(1)))
    )
  }

  private def request(random: Random): String =
    if (random.nextInt(4) > 0) "e" + random.nextInt(1000)
    else {
      val kind = "smpbcrl".charAt(random.nextInt(7))
      s"$kind${if (kind == 'l') "x" * 30000 else random.nextInt(1000).toString}"
    }

  private val outcomes = new Outcomes(_.isInstanceOf[TcpClientError])

  private def play(seed: Long): Unit = {
    val random = new Random(seed)
    val config = configured(random)
    val lent   = sometimesLent(random, config.loops)
    val clue   = s"seed $seed: $config"
    serving(new Script) { server =>
      val protocol = TcpProtocol(Lines)
      val client   =
        if (lent == null) TcpClient(protocol, server.at, config)
        else TcpClient(protocol, server.at, config, lent)
      atOnce(3, random, clue) { own =>
        (1 to 5).flatMap { _ =>
          val asked   = List.fill(1 + own.nextInt(8))(request(own))
          val futures = asked.map { line =>
            own.nextInt(8) match {
              case 0 => client.future(line, 1.nano)
              case 1 => client.future(line, 1.milli)
              case 2 =>
                client.run {
                  val answer = client.call(line)
                  Async.sleep(1.milli).map { _ => answer.cancel(); line }
                }
              case _ => client.future(line)
            }
          }
          asked.zip(futures).flatMap { case (line, future) =>
            outcomes.of(line.take(20), future) { answer =>
              if (answer == line) null else s"was answered ${answer.take(20)}"
            }
          }
        }
      }
      eventually(
        client.statistics.inFlight == 0 && client.statistics.waiting == 0,
        s"${client.statistics}; $clue"
      )
      if (random.nextBoolean()) Await.result(client.drain(), 20.seconds) else client.close()
      eventually(server.closed.get == server.opened.get, s"connections are open; $clue")
      endLent(lent, clue)
    }
  }

  randomCombinations(30, outcomes)(play)
}
