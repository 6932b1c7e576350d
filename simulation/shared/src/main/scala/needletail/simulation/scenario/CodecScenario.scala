package needletail.simulation.scenario

import java.nio.charset.StandardCharsets.US_ASCII

import scala.concurrent.duration._

import needletail.async.Async
import needletail.io.Address
import needletail.server.{Answer, ServerConfig}
import needletail.server.tcp.TcpServer
import needletail.simulation.reader.Mark
import needletail.simulation.service.{Service, UserCode}
import needletail.simulation.visit.{Caller, Visitor}
import needletail.simulation.world.World
import needletail.tcp.{Codec, Decoded, Decoder}

/** A server of a line protocol: each line is echoed, in order, now or later. */
final class CodecScenario(world: World) {
  private val dice = world.dice
  private val code = new UserCode(world)

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
  private val isFair = dice.chance(30)
  if (isFair)
    world.weather = world.weather.copy(
      stalls = 0,
      preempted = 0,
      resets = 0,
      acceptFails = 0,
      configFails = 0,
      throws = 0
    )

  private val config = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    loops = dice.between(1, 2),
    maxConnections = if (isFair) 64 else dice.pick(Seq(1, 3, 64)),
    memoryBudget = if (isFair) 0 else dice.pick(Seq(0L, 256L * 1024)),
    maxPendingOutput = dice.pick(Seq(1, 1000, 256 * 1024)),
    idleTimeout = 5.seconds,
    writeTimeout = 3.seconds,
    lingerTimeout = 1.second,
    drainTimeout = 5.seconds,
    blockedLoop = Duration.Zero,
    log = new WorldLog(world, code)
  )

  def run(): Unit = {
    val server = TcpServer.serveOn(world.platform, Lines, config) { _ =>
      code.at("a session function")
      line => {
        code.at("an answer")
        if (dice.chance(60)) Answer(line)
        else Async.sleep(dice.longBetween(0, 900000000L).nanos).flatMap { _ =>
          code.at("a later answer"); Answer(line)
        }
      }
    }
    val visits = (1 to dice.size(6)).map(n =>
      new LineVisit(world, n, server.port, if (isFair && n == 1) LineVisit.Steady else LineVisit.Usual)
    )
    if (!isFair && dice.chance(25)) world.after(dice.longBetween(0, 3000000000L)) { server.drain(); () }
    world.run(300.seconds.toNanos)(visits.forall(_.isOver) || world.fatalLoops > 0)
    world.clearUp()
    visits.foreach(_.check())
    if (isFair && !visits.head.isAnswered)
      world.found("a reader who is slow and steady was not given all that it asked for")
    if (world.fatalLoops > 0 && !code.hasBeenFatal)
      world.found("a loop has ended, though nothing fatal was thrown")
    if (world.fatalLoops == 0 && server.isReady) {
      world.pass(20.seconds.toNanos)
      if (server.isReady) {
        val last = new LineVisit(world, 99, server.port, LineVisit.Probe)
        world.run(20.seconds.toNanos)(last.isOver)
        if (!last.isAnswered) world.found("the server is not alive")
        world.pass(10.seconds.toNanos)
        world.checkIdle()
        lateReader(server.port)
      }
    }
    val isQuiet = server.isReady
    val begun   = world.now
    server.drain()
    if (!world.run(30.seconds.toNanos)(server.stopped.isCompleted))
      world.found("the drain did not end in its time")
    else if (isQuiet && world.now - begun > 4.seconds.toNanos)
      world.found(s"the drain took ${(world.now - begun) / 1000000} ms, though nobody was in its way")
    world.pass(10.seconds.toNanos)
    if (world.loopsAlive > 0) world.found(s"${world.loopsAlive} loops have not ended")
    if (world.network.descriptors != 0) world.found(s"${world.network.descriptors} descriptors are left open")
  }

  /** A client whose answer waits to be written as the drain begins, and that reads it soon after. */
  private def lateReader(port: Int): Unit = {
    val line = (Mark(98, 1) * 800 + "\n").getBytes(US_ASCII)
    val late = new Caller(world.network.connect(port), reads = false)((_, _) => (), _ => ())
    late.send(line)
    world.pass(1.second.toNanos)
    world.after(1.second.toNanos)(late.beginToRead())
  }
}

/** A client of that server. */
private final class LineVisit(
    world: World,
    number: Int,
    port: Int,
    kind: LineVisit.Kind = LineVisit.Usual
) {
  private val dice  = world.dice.split()
  private val count = kind match {
    case LineVisit.Usual  => dice.size(30)
    case LineVisit.Steady => dice.between(1, 60)
    case LineVisit.Probe  => 1
  }
  private val most   = if (kind eq LineVisit.Steady) 400 else 50
  private val lines  = (1 to count).map(i => Mark(number, i) * dice.size(most))
  private val end    = world.network.connect(port)
  private val text   = new StringBuilder
  private val all    = lines.map(_ + "\n").mkString
  private val parts  = Seq(new Visitor.Part(Service.ascii(all), 0, false, () => ()))
  private val manner = kind match {
    case LineVisit.Usual  => Visitor.Manner(dice, all.length)
    case LineVisit.Steady => Visitor.Manner.steady(dice)
    case LineVisit.Probe  => Visitor.Manner.plain
  }

  private val visitor =
    if (end == null) null
    else
      new Visitor(world, s"visitor $number", end, parts, manner)(
        (bytes, n) => { text.append(new String(bytes, 0, n, US_ASCII)); ends() },
        _ => true,
        () => text.length >= all.length,
        _ => ()
      )

  private def ends(): Unit =
    if (!all.startsWith(text.toString))
      world.found(s"visitor $number read '${text.takeRight(60)}' where its own lines should be")

  def isOver: Boolean     = visitor == null || visitor.isOver
  def isAnswered: Boolean = text.length == all.length

  def check(): Unit = if (visitor != null && visitor.isDisappointed && !isAnswered)
    world.found(
      s"visitor $number was neither answered nor told the end, after ${text.length} of ${all.length} bytes"
    )
}

private object LineVisit {
  sealed abstract class Kind
  case object Usual  extends Kind
  case object Steady extends Kind
  case object Probe  extends Kind
}
