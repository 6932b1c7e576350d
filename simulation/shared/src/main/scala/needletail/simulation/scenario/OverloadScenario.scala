package needletail.simulation.scenario

import scala.concurrent.duration._

import needletail.async.Async
import needletail.http.{Handler, Reply}
import needletail.routing._
import needletail.server._
import needletail.simulation.peer.{HttpProbe, LoadClient}
import needletail.simulation.service.UserCode
import needletail.simulation.world.{Neighbour, World}

/**
 * A server with overload control, whose processor other programs take for a part of the time. As long as what waits
 * could be done within half the time of a burst, nothing is refused, however long others have the processor: also if
 * they leave too little time for what arrives. If three times as much arrives as could be done alone, some of it is
 * refused; critical requests never are.
 */
final class OverloadScenario(world: World) extends Scenario {
  import OverloadScenario._

  private val random     = world.random
  private val code       = new UserCode(world)
  private val operations = new Operations

  // Only others take the processor, as nothing else may delay a request.
  world.faults = world.faults.undisturbed

  /** Which part of the time others have the processor. */
  private var taken = 0.0

  /** Whether they leave it for the same part of every second or so. */
  private var isRegular = true

  private val neighbour: Neighbour = {
    val own                                = random.split()
    def repeated(there: Long, every: Long) = {
      taken = there.toDouble / every
      new Neighbour(world.now, () => every - there, () => there)
    }
    random.below(5) match {
      case 0 => Neighbour.none
      case 1 => // busy programs, in slices of time
        val slice = random.longBetween(500.micros.toNanos, 10.millis.toNanos)
        repeated(slice * random.between(1, 2), slice * 3)
      case 2 => repeated(random.longBetween(20.millis.toNanos, 60.millis.toNanos), 100.millis.toNanos)
      case 3 => // stopped now and then, for longer than a burst lasts, too
        val stop = random.longBetween(100.millis.toNanos, random.pick(Seq(500.millis, 2.seconds)).toNanos)
        repeated(stop, 2.seconds.toNanos + stop)
      case _ =>
        val most = random.longBetween(10.millis.toNanos, 200.millis.toNanos)
        taken = 0.5
        isRegular = false
        new Neighbour(world.now, () => own.longBetween(1, most), () => own.longBetween(1, most))
    }
  }

  private val isTooMuch = random.percent(15)
  private val kind      = if (isTooMuch) random.pick(Seq("work", "block")) else random.pick(kinds)

  /**
   * What a request costs its loop, in nanoseconds. It may be so much that others interrupt each one: the platform knows
   * that they do not block (`Platform.waits`, or `delayNanos` with odd seeds).
   */
  private val cost: Long =
    if (isTooMuch) random.longBetween(10.millis.toNanos, 20.millis.toNanos)
    else random.pick(Seq(20.micros, 200.micros, 2.millis, 20.millis)).toNanos

  /** How many requests arrive at once. */
  private val group: Int = {
    val long = math.max(1, (random.longBetween(1, Bearable) / cost).toInt)
    random.pick(Seq(1, 1, 5, 50, long, long))
  }

  /** Which part of the processor's time the requests need. */
  private val use: Double =
    if (isTooMuch) 3.0
    else
      math.min(
        math.max(
          0.05,
          MostUse - group * cost / 1e9
        ), // so that not even one group more in a second is overload
        random.between(5, 130) / 100.0 * (1 - taken)
      )

  /** For how long they arrive. If a queue may last, all of them together are less than a burst. */
  private val lasts: Long =
    if (isTooMuch) 4.seconds.toNanos
    else {
      val whole = random.longBetween(1000000000L, 6000000000L)
      if (isRegular && use <= 0.8 * (1 - taken)) whole else math.min(whole, (MostWork / use).toLong)
    }
  private val count: Int = math.max(1, math.min(if (isTooMuch) 1200 else 1000, (lasts * use / cost).toInt))

  private val config = Scenario.serverConfig(world, code, operations).copy(
    loops = 1,
    maxConnections = 2000,
    headTimeout = 60.seconds,
    idleTimeout = 60.seconds,
    handlerTimeout = 60.seconds,
    writeTimeout = 60.seconds,
    overload = OverloadConfig(grace = Duration.Zero)
  )

  private val routes = Routes(
    (GET / "vital" / arg[String] + request to { case (_, r) => marked(r) }).priority(Priority.Critical),
    (GET / "probe" to "alive".ok).priority(Priority.Critical),
    (GET / "metrics" to operations.metrics).priority(Priority.Critical),
    (GET / arg[String] + request to { case (kind, r) => handle(kind, r) })
      .priority(random.pick(Seq(Priority.High, Priority.Normal, Priority.Normal, Priority.Low)))
  )

  // In some there is user code around the routes: their priorities apply all the same.
  private val handler: Handler = random.below(3) match {
    case 0 => routes
    case 1 => routes.around((_, next) => next())
    case _ => Handler(request => routes(request))
  }

  // What the requests without a response cost, in nanoseconds.
  private var waiting     = 0L
  private var mostWaiting = 0L
  private var refused     = 0

  private def handle(kind: String, request: Request): Reply = {
    waiting -= cost
    val response = marked(request)
    if (kind == "block") world.block(cost) else world.work(cost)
    if (kind == "wait") Async.sleep(ServiceTime).map(_ => response) else response
  }

  private def marked(request: Request): Response =
    Response.ok.header("X-Mark", request.header("X-Mark").getOrElse("none"))

  private def onRefused(): Unit = {
    waiting -= cost
    refused += 1
    if (!isTooMuch && mostWaiting <= Bearable)
      world.found(s"a request was refused, though at most ${mostWaiting / 1000} us of work have waited")
  }

  def run(): Unit = {
    val server  = Server(handler, config).startOn(world.platform)
    val clients = (1 to math.max(1, if (isTooMuch) count / 2 else random.skewed(count)))
      .map(new LoadClient(world, _, server.port)(() => onRefused()))
    world.pass(100.millis.toNanos)
    world.neighbour = neighbour
    world.eventsFirst = true
    for (i <- 0 until count) world.after((i / group * group).toLong * lasts / count) {
      waiting += cost
      mostWaiting = math.max(mostWaiting, waiting)
      clients(i % clients.size).send(s"/$kind")
    }
    val vital = new LoadClient(world, 5000, server.port)(() => world.found("a critical request was refused"))
    for (i <- 0 until 50) world.after(i * lasts / 50)(vital.send("/vital/now"))
    world.pass(lasts)
    world.run(60.seconds.toNanos)((vital +: clients).forall(_.unanswered == 0))
    world.neighbour = Neighbour.none
    world.eventsFirst = false
    world.stopFaults()
    world.trace.say(world, s"$refused of $count refused, at most ${mostWaiting / 1000} us of work waited")
    if ((vital +: clients).exists(_.unanswered > 0))
      world.found(s"${(vital +: clients).map(_.unanswered).sum} requests have no response")
    if (isTooMuch && refused == 0)
      world.found(s"nothing was refused, though ${mostWaiting / 1000} us of work have waited")
    (vital +: clients).foreach(_.close())
    finish(world, code, server, new HttpProbe(world, server.port))
  }
}

private object OverloadScenario {

  /** What a request does: works for its loop, holds it up without working, or works and then waits for a service. */
  private val kinds = Seq("work", "work", "block", "wait")

  /** How long the service takes. */
  private val ServiceTime = 20.millis

  /** If requests need more of the processor's time, no others are to blame if some are refused. */
  private final val MostUse = 0.9

  /** Nanoseconds of work of which none can wait for as long as a burst lasts. */
  private final val MostWork = 900e6

  /** Half of what a burst may be. */
  private final val Bearable = 500L * 1000 * 1000
}
