package needletail.simulation.scenario

import java.nio.charset.StandardCharsets.US_ASCII

import scala.concurrent.duration._

import needletail.async.Async
import needletail.server.Answer
import needletail.server.tcp.TcpServer
import needletail.simulation.peer.{RawClient, SimpleClient}
import needletail.simulation.reader.Mark
import needletail.simulation.service.{Service, UserCode}
import needletail.simulation.world.{SeededRandom, World}
import needletail.tcp.{Codec, Decoded, Decoder}

/** A server of a line protocol: each line is echoed, in order, now or later. Some servers also send lines by themselves. */
final class CodecScenario(world: World) extends Scenario {
  private val random = world.random
  private val code   = new UserCode(world)

  private object Lines extends Codec[String, String] {
    def decoder(): Decoder[String] = {
      code.at("a codec's decoder")
      (bytes, from, until) => {
        code.at("a decoder")
        var i = from
        while (i < until && bytes(i) != '\n') i += 1
        if (i == until) Decoded.More else Decoded.Message(new String(bytes, from, i - from, US_ASCII), i + 1)
      }
    }
    def encode(answer: String): Array[Byte] = {
      code.at("an encoder")
      (answer + "\n").getBytes(US_ASCII)
    }
  }

  // In some simulations nothing happens that would reset a slow but steady reader.
  private val isFair = random.percent(30)
  if (isFair) world.faults = world.faults.undisturbed

  private val config = Scenario.serverConfig(world, code).copy(
    loops = random.between(1, 2),
    maxConnections = if (isFair) 64 else random.pick(Seq(1, 3, 64)),
    memoryBudget = if (isFair) 0 else random.pick(Seq(0L, 256L * 1024)),
    maxPendingOutput = random.pick(Seq(1, 1000, 256 * 1024)),
    handlerTimeout = 30.seconds
  )

  /** Chosen by the seed itself: so the other seeds stand for the simulations that docs/testing.md says they do. */
  private val pushes   = world.seed % 3 == 1
  private val ofPushes = new SeededRandom(world.seed)

  private var isCalm = false // nothing is pushed any more

  def run(): Unit = {
    val server = TcpServer.serveOn(world.platform, Lines, config) { connection =>
      code.at("a session function")
      if (pushes) { val _ = new PushedLines(world, connection, ofPushes, mayClose = !isFair)(!isCalm) }
      line => {
        code.at("an answer")
        if (random.percent(60)) Answer(line)
        else Async.sleep(random.longBetween(0, 900000000L).nanos).flatMap { _ =>
          code.at("a later answer"); Answer(line)
        }
      }
    }
    val clients = (1 to random.skewed(6)).map(n =>
      new RawLineClient(
        world,
        n,
        server.port,
        if (isFair && n == 1) RawLineClient.Steady else RawLineClient.Usual
      )
    )
    if (!isFair && random.percent(25)) world.after(random.longBetween(0, 3000000000L)) { server.drain(); () }
    world.run(300.seconds.toNanos)(clients.forall(_.isOver) || world.fatalLoops > 0)
    world.stopFaults()
    isCalm = true
    clients.foreach(_.check())
    if (isFair && !clients.head.isAnswered)
      world.found("a reader who is slow and steady was not given all that it asked for")
    checkFatal(world, code)
    if (world.fatalLoops > 0) checkKilled(world, server.stopped)
    else if (server.isReady) {
      world.pass(20.seconds.toNanos)
      if (server.isReady) {
        val last = new RawLineClient(world, 99, server.port, RawLineClient.Probe)
        world.run(20.seconds.toNanos)(last.isOver)
        if (!last.isAnswered) world.found("the server is not alive")
        world.pass(10.seconds.toNanos)
        world.checkIdle()
        lateReader(server.port)
      }
    }
    val most = if (server.isReady) 4.seconds else 30.seconds
    server.drain()
    if (world.fatalLoops == 0) checkDrain(world, server.stopped, most)
    world.pass(10.seconds.toNanos)
    checkNothingLeft(world)
  }

  /** A client whose answer waits to be written as the drain begins, and that reads it soon after. */
  private def lateReader(port: Int): Unit = {
    val line = (Mark(98, 1) * 800 + "\n").getBytes(US_ASCII)
    val late = new SimpleClient(world.network.connect(port), reads = false)((_, _) => (), _ => ())
    late.send(line)
    world.pass(1.second.toNanos)
    world.after(1.second.toNanos)(late.beginToRead())
  }
}

/** A client of that server. */
private final class RawLineClient(
    world: World,
    number: Int,
    port: Int,
    kind: RawLineClient.Kind = RawLineClient.Usual
) {
  private val random = world.random.split()
  private val count  = kind match {
    case RawLineClient.Usual  => random.skewed(30)
    case RawLineClient.Steady => random.between(1, 60)
    case RawLineClient.Probe  => 1
  }
  private val most      = if (kind eq RawLineClient.Steady) 400 else 50
  private val lines     = (1 to count).map(i => Mark(number, i) * random.skewed(most))
  private val end       = world.network.connect(port)
  private val text      = new StringBuilder
  private val all       = lines.map(_ + "\n").mkString
  private val parts     = Seq(new RawClient.Part(Service.ascii(all), 0, false, () => ()))
  private val behaviour = kind match {
    case RawLineClient.Usual  => RawClient.Behaviour(random, all.length)
    case RawLineClient.Steady => RawClient.Behaviour.steady(random)
    case RawLineClient.Probe  => RawClient.Behaviour.plain
  }

  private val client =
    if (end == null) null
    else
      new RawClient(world, s"client $number", end, parts, behaviour)(
        (bytes, n) => { text.append(new String(bytes, 0, n, US_ASCII)); ends() },
        _ => true,
        () => own.length >= all.length,
        _ => ()
      )

  private def own: String = PushedLines.apart(text.toString)._1

  private def ends(): Unit = {
    val (own, pushed) = PushedLines.apart(text.toString)
    if (!all.startsWith(own))
      world.found(s"client $number read '${own.takeRight(60)}' where its own lines should be")
    if (pushed != (1 to pushed.length))
      world.found(s"client $number read the pushed lines ${pushed.mkString(", ")}")
  }

  def isOver: Boolean     = client == null || client.isOver
  def isAnswered: Boolean = own.length == all.length

  def check(): Unit = if (client != null && client.isDisappointed && !isAnswered)
    world.found(
      s"client $number was neither answered nor told the end, after ${own.length} of ${all.length} bytes"
    )
}

private object RawLineClient {
  sealed abstract class Kind
  case object Usual  extends Kind
  case object Steady extends Kind
  case object Probe  extends Kind
}
