package needletail.websocket

import java.io.IOException
import java.util.Random
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{Await, Future, TimeoutException}
import scala.concurrent.duration._
import scala.util.{Failure, Success, Try}

import needletail.async.Async
import needletail.io.{Address, ConnectionOptions, EventLoops}
import needletail.routing._
import needletail.server.{Log, ServerConfig, ServerFixture}
import needletail.testing.Suite

/**
 * Every setting of WebSockets at its smallest value, in random combinations, on both sides: each ends, and nothing is
 * left of it.
 */
class TinyLimitsSuite extends Suite {
  override def munitTimeout: Duration = 3.minutes

  private val smallest = PerMessageDeflate(minSize = 0)
  private val largest  = PerMessageDeflate(minSize = 0, contextTakeover = true)

  private def configured(random: Random): WebSocketConfig = {
    def one[A](values: A*): A                       = values(random.nextInt(values.size))
    def often[A](usual: A, others: A*): A           = if (random.nextInt(3) > 0) usual else one(others: _*)
    def time(usual: FiniteDuration): FiniteDuration = often(usual, 1.nano, 1.milli, 20.millis)
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
    def often[A](usual: A, others: A*): A =
      if (random.nextInt(3) > 0) usual else others(random.nextInt(others.size))
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

  private val attempts, opened = new AtomicInteger

  private def outcome(what: Future[Any]): Option[String] = Try(Await.result(what, 20.seconds)) match {
    case Success(_) =>
      opened.incrementAndGet()
      None
    case Failure(_: IOException)      => None
    case Failure(_: TimeoutException) => Some("opening did not end")
    case Failure(other)               => Some(s"failed with $other")
  }

  private def play(seed: Long): Unit = {
    val random = new Random(seed)
    val own    = client(random)
    val theirs = configured(random)
    val lent   = if (random.nextBoolean()) new EventLoops(own.loops, "lent", daemon = true) else null
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
      val client  = if (lent == null) WebSocketClient(own) else WebSocketClient(own, lent)
      val url     = s"ws://127.0.0.1:${server.port}/echo"
      val wrong   = new ConcurrentLinkedQueue[String]
      val threads = List.fill(3) {
        val choice = new Random(random.nextLong())
        new Thread(() =>
          for (_ <- 1 to 4)
            List.fill(1 + choice.nextInt(3)) {
              val seed = choice.nextLong()
              attempts.incrementAndGet()
              client.future(url) { socket =>
                use(socket, new Random(seed))
                new Counted(_ => ())
              }
            }.flatMap(outcome(_)).foreach(wrong.add)
        )
      }
      threads.foreach(_.start())
      threads.foreach(_.join())
      assert(wrong.isEmpty, s"$wrong; $clue")
      eventually(alive.get == 0, s"${alive.get} are not closed; $clue")
      client.close()
      eventually(
        Await.result(server.statistics, 20.seconds).connectionsOpen == 0,
        s"connections are open; $clue"
      )
      if (lent != null) {
        for (i <- 0 until lent.size)
          eventually(
            Await.result(Async.run(lent(i))(Async.value(lent(i).memory.held)), 20.seconds) == 0,
            s"memory is held; $clue"
          )
        lent.stop()
        Await.result(lent.stopped, 20.seconds)
      }
    }
  }

  test("random combinations") {
    val count = Option(System.getenv("NEEDLETAIL_SEEDS")).fold(60)(_.toInt)
    for (seed <- 1 to count) play(seed.toLong)
    assert(opened.get > attempts.get / 10, s"only ${opened.get} of ${attempts.get} were opened")
  }
}
