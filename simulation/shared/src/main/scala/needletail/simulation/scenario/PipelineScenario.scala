package needletail.simulation.scenario

import scala.collection.mutable
import scala.concurrent.duration._

import needletail.async.Async
import needletail.http.{ByteStream, Handler, Reply}
import needletail.routing._
import needletail.server._
import needletail.server.operations.Operations
import needletail.simulation.peer.{HttpProbe, PeerGroup, PipeliningClient}
import needletail.simulation.service.UserCode
import needletail.simulation.world.World

/**
 * Clients that pipeline requests behind one whose reply takes long. Replies that are complete wait for it, and what they
 * hold counts as memory. While that is short some give way to a refusal: only those that wait, and nothing is left of them.
 */
final class PipelineScenario(world: World) extends Scenario {
  import PipelineScenario._

  private val random     = world.random
  private val code       = new UserCode(world)
  private val operations = new Operations

  // In some simulations nothing else goes wrong, and each client gets all that it is owed.
  private val isFair = random.percent(60)
  if (isFair) world.faults = world.faults.undisturbed

  private val loops  = random.pick(Seq(1, 2, 2))
  private val budget = if (random.percent(80)) 256L * 1024 else 16L * 1024 * 1024

  private val config = Scenario.serverConfig(world, code, operations).copy(
    loops = loops,
    maxConnections = 64,
    memoryBudget = budget,
    maxPipelined = random.pick(Seq(2, 8, 16, 64)),
    maxPendingOutput = random.pick(Seq(1, 1000, 256 * 1024)),
    handlerTimeout = 30.seconds,
    idleTimeout = 20.seconds, // longer than a client pauses
    overload = OverloadConfig.off
  )

  /** What has been sent, by its mark. */
  private val asked = mutable.Map.empty[String, PipeliningClient.Asked]

  private val clients = mutable.ArrayBuffer.empty[PipeliningClient]
  private var streams = Vector.empty[Held]

  code.atEnd(if (!code.hasBeenFatal) streams.foreach(_.check()))

  private val routes = Routes(
    GET / "probe" to "alive".ok,
    GET / "metrics" to operations.metrics,
    GET / arg[String] + request to { case (kind, r) => serve(kind, r) },
    POST / arg[String] + request to { case (kind, r) => serve(kind, r) }
  )

  // What wraps routes gets the refusals, too.
  private val isWrapped        = random.percent(50)
  private val handler: Handler =
    if (!isWrapped) routes
    else routes.mapResponse { (_, response) => code.at("a mapResponse"); response.header("X-Mapped", "yes") }

  private def serve(kind: String, request: Request): Reply = {
    val held = clients.iterator.map(_.waitingBytes).sum
    if (held > budget / 4 * 3) world.found(s"$held bytes of streams wait for earlier replies, of $budget")
    request.header("X-Mark").flatMap(asked.get) match {
      case None      => Response.notFound
      case Some(own) =>
        own.isHandled = true
        own.isAnswered() // by a failure at the latest
        code.at("a handler")
        world.trace.say(world, s"a request for $kind, ${own.size} bytes of ${own.mark}")
        val ok = Response.ok.header("X-Mark", own.mark)
        kind match {
          case "slow"                  => late(own, 12.seconds)(ok.bytes(own.content))
          case "trickle"               => ok.stream(trickle(own.content))
          case _ if random.percent(40) => late(own, 3.seconds)(whole(kind, own, ok))
          case _                       => whole(kind, own, ok)
        }
    }
  }

  private def late(
      own: PipeliningClient.Asked,
      most: FiniteDuration
  )(response: => Response): Async[Response] =
    Async.sleep(random.longBetween(0, most.toNanos).nanos).map { _ =>
      own.isAnswered()
      code.at("a later answer")
      response
    }

  private def whole(kind: String, own: PipeliningClient.Asked, ok: Response): Response = kind match {
    case "held" =>
      val held = new Held(own)
      streams :+= held
      own.stream = held
      ok.stream(held)
    case "parts" => ok.stream(ByteStream.of(own.content))
    case "lazy"  => ok.stream(code.stream(own.content))
    case _       => ok.bytes(own.content)
  }

  /** Pieces that each come a while after the last one. */
  private def trickle(content: Array[Byte]): ByteStream = {
    val pieces = content.grouped(math.max(1, content.length / random.between(1, 12)))
    needletail.stream.Stream.unfold(()) { _ =>
      code.at("an unfold")
      Async.sleep(random.longBetween(0, 1500000000L).nanos).map(_ =>
        if (pieces.hasNext) Some((pieces.next(), ())) else None
      )
    }
  }

  /** A stream that holds its content until it is asked for some, as a compressed response does. */
  private final class Held(of: PipeliningClient.Asked) extends ByteStream with PipeliningClient.Holder {
    private var isAsked = false
    private var isOver  = false
    private val pieces  = of.content.grouped(1 + random.below(16000))
    var cancelled       = 0

    def bytes: Int = if (isAsked || cancelled > 0) 0 else of.size

    private[needletail] override def inMemory: Array[Byte] = if (bytes > 0) of.content else null

    def next(): Async[Option[Array[Byte]]] = {
      if (cancelled > 0) world.found(s"the stream of ${of.mark} was asked after it had been cancelled")
      isAsked = true
      try code.at("a stream's next")
      catch { case e: Throwable => isOver = true; throw e }
      if (!pieces.hasNext) isOver = true
      val piece = if (isOver) None else Some(pieces.next())
      if (random.percent(70)) Async.value(piece) else Async.yieldNow.map(_ => piece)
    }

    def cancel(): Unit = {
      cancelled += 1
      code.at("a stream's cancel")
    }

    def check(): Unit = {
      if (cancelled > 1) world.found(s"the stream of ${of.mark} was cancelled $cancelled times")
      if (cancelled == 0 && !isOver) world.found(s"the stream of ${of.mark} was forgotten")
    }
  }

  def run(): Unit = {
    val server = Server(handler, config).startOn(world.platform)
    val group  = new PeerGroup(world, random.between(4, 12))(newClient(_, server.port))
    readMetrics(world, server.port)
    if (!isFair && random.percent(25))
      world.after(random.longBetween(0, 9000000000L)) { server.drain(); () }
    world.run(200.seconds.toNanos)(group.areOver || world.fatalLoops > 0)
    world.stopFaults()
    if (isFair) {
      group.check()
      checkRefusals()
    }
    clients.foreach(_.close())
    finish(world, code, server, new HttpProbe(world, server.port))
  }

  private def newClient(number: Int, port: Int): PipeliningClient = {
    val client = new PipeliningClient(world, number, port, isFair, isWrapped)(own => asked(own.mark) = own)
    clients += client
    client.begin()
    client
  }

  /** Where all replies together would not have made memory short, none was refused. */
  private def checkRefusals(): Unit = {
    val most    = asked.values.iterator.map(_.size + Head).sum
    val refused = clients.iterator.map(_.refused).sum
    world.trace.say(world, s"$refused of ${asked.size} requests were refused, of $most bytes in all")
    if (most < budget / loops / 4 * 3 && clients.exists(client => client.refused > 0 || client.isCutOff))
      world.found(s"$refused requests were refused, though all replies together have $most bytes, of $budget")
  }

  /** Each refusal that was sent has been counted, and no other. */
  override protected def whenIdle(server: RunningServer): Unit =
    if (isFair && !clients.exists(_.isReset))
      new HttpProbe(world, server.port).ask("/metrics").foreach { answer =>
        val counted = new String(answer.content, "US-ASCII").linesIterator
          .filter(line =>
            line.startsWith("needletail_requests_refused_total{") && line.contains("reason=\"memory\"")
          )
          .map(line => line.substring(line.lastIndexOf(' ') + 1).toDouble).sum.toInt
        val refused = clients.iterator.map(_.refused).sum
        if (counted != refused) world.found(s"$counted requests are counted as refused, and $refused were")
      }
}

private object PipelineScenario {

  /** More than the head of a request, which counts as well, and that of its reply. */
  private final val Head = 500
}
