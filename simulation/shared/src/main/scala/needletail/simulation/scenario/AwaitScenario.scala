package needletail.simulation.scenario

import scala.concurrent.duration._
import scala.util.{Failure, Success, Try}

import needletail.async.{Async, AsyncPromise, Survivable}
import needletail.client.Client
import needletail.client.config.{ClientConfig, RetryConfig}
import needletail.client.error.ClientError
import needletail.io.EventLoops
import needletail.server._
import needletail.server.operations.Operations
import needletail.simulation.peer.HttpProbe
import needletail.simulation.reader.Mark
import needletail.simulation.service.{Service, UserCode}
import needletail.simulation.world.World

/**
 * Other threads that block until what they run on a loop of a client is complete: `await` of the client and of its calls.
 * Each goes on, with its own result or what was thrown, and what an interrupted one has run is cancelled.
 */
final class AwaitScenario(world: World) extends Scenario {
  private val random     = world.random
  private val code       = new UserCode(world)
  private val operations = new Operations
  private val service    = new Service(world, code, operations)

  // Fatal errors are rare otherwise, and even more so where one ends a loop of the client.
  if (random.percent(20)) world.faults = world.faults.copy(throws = 200, fatal = true)

  private val config = Scenario.serverConfig(world, code, operations).copy(loops = random.between(1, 2))

  private val asking = ClientConfig(
    connectionsPerHost = random.pick(Seq(1, 2, 8)),
    queueTimeout = 2.seconds,
    connectTimeout = 1.second,
    requestTimeout = random.pick(Seq(500.millis, 6.seconds)),
    idleTimeout = random.pick(Seq(100.millis, 3.seconds)),
    retry = RetryConfig(attempts = random.between(1, 3))
  )

  private var ended = 0

  // of those whose thread was interrupted while they waited for ever
  private var interrupted = 0
  private var cancelled   = 0
  code.atEnd {
    if (!code.hasBeenFatal && cancelled != interrupted)
      world.found(
        s"$interrupted threads were interrupted, and $cancelled times what they waited for was cancelled"
      )
  }

  def run(): Unit = {
    val server = Server(service.routes, config).startOn(world.platform)
    readRequests(world, server.port, _.ownContent)
    val loops   = new EventLoops(random.between(1, 2), "client", platform = world.platform)
    val client  = Client(asking, loops)
    val threads = random.skewed(20)
    for (n <- 1 to threads)
      world.after(random.longBetween(0, random.pick(Seq(1L, 20000000L, 4000000000L)))) {
        new Waiting(client, server.port, n).run()
        ended += 1
      }
    onLoop(client, loops)
    world.run(300.seconds.toNanos)(ended == threads)
    world.stopFaults()
    if (ended < threads) world.found(s"${threads - ended} threads have waited in vain")
    world.pass(30.seconds.toNanos) // idle connections are closed
    client.statistics.foreach { s =>
      if (s.open != 0 || s.inFlight != 0 || s.waiting != 0 || s.idle != 0)
        world.found(s"the client still counts: $s")
    }
    if (world.fatalLoops == 0) world.checkIdle()
    client.close()
    whenClosed(client, server.port)
    loops.stop()
    finish(world, code, server, new HttpProbe(world, server.port), loops)
  }

  /** A thread that runs something, and what comes of it. */
  private final class Waiting(client: Client, port: Int, n: Int) {
    private val mark              = Mark(1, n)
    private var thrown: Throwable = null // by user code in it
    private val kind              = random.below(8)
    private val isInterrupted     = kind == 0 || random.percent(15)

    private def at(place: String): Unit =
      try code.at(place)
      catch { case e: Throwable => thrown = e; throw e }

    def run(): Unit = {
      if (isInterrupted) world.interruptAfter = random.longBetween(0, random.pick(AwaitScenario.pauses))
      val result =
        try Success(awaited())
        catch { case e: Throwable => Failure(e) }
      world.interruptAfter = Long.MaxValue
      world.trace.say(world, s"the thread of $mark goes on with $result")
      check(result)
    }

    private def awaited(): String = kind match {
      case 0 => client.await(never())
      case 1 => client.await { at("a body of await"); Async.value(mark) }
      case 2 => client.await { at("a body of await"); later() }
      case 3 => client.await { at("a body of await"); Async.yieldNow.flatMap(_ => failing()) }
      case 4 => client.await { at("a body of await"); failing() }
      case 5 => client.await {
          at("a body of await")
          call.response.flatMap { first =>
            at("a function in an await")
            call.response.map(second =>
              Seq(first, second).map(r => own(r.status.code, r.bytes)).distinct.mkString(", ")
            )
          }
        }
      case _ =>
        val answer = call.await()
        own(answer.status.code, answer.bytes)
    }

    private def later(): Async[String] =
      Async.sleep(random.longBetween(0, random.pick(AwaitScenario.pauses)).nanos).map { _ =>
        at("a function in an await")
        mark
      }

    /** It throws, or is a failure. */
    private def failing(): Async[String] = {
      thrown = UserCode.survivable(random)
      if (random.percent(50)) throw thrown else Async.fail(thrown)
    }

    private def never(): Async[String] = {
      at("a body of await")
      val promise = new AsyncPromise[String]
      interrupted += 1
      promise.onCancel { () => cancelled += 1; code.aside("a hook of a cancellation") }
      promise
    }

    // Each time the same, which is answered with what its mark says.
    private val callKind = random.pick(AwaitScenario.kinds)
    private val size     = random.skewed(20000)
    private def call     =
      client.get(s"http://127.0.0.1:$port/$callKind").header("X-Mark", mark).header("X-Size", size.toString)

    /** The mark, if that is its own content or none. */
    private def own(status: Int, content: Array[Byte]): String =
      if (status != 200 || content.sameElements(Mark.content(mark, size))) mark
      else s"${content.length} bytes instead of $size of $mark"

    private def check(result: Try[String]): Unit = {
      def wrong(): Unit = world.found(s"a thread that waited for $mark got $result, and $thrown was thrown")
      result match {
        case Success(got)                                      => if (got != mark || thrown != null) wrong()
        case Failure(e) if e eq thrown                         => if (!Survivable(e)) wrong()
        case Failure(_: InterruptedException) if isInterrupted => ()
        case Failure(_: IllegalStateException) if world.fatalLoops > 0 || hasThrownFatal => ()
        case Failure(_: ClientError) => if (kind < 5 || thrown != null && Survivable(thrown)) wrong()
        case _                       => wrong()
      }
    }

    private def hasThrownFatal = thrown != null && !Survivable(thrown)
  }

  /** A loop's own thread must not wait: it is told so, and nothing is run. */
  private def onLoop(client: Client, loops: EventLoops): Unit = {
    val loop = loops(random.below(loops.size))
    world.after(random.longBetween(0, 3000000000L)) {
      try
        loop.execute { () =>
          refused("a loop's own thread") { isRun => client.await { isRun(); Async.unit } }
        }
      catch { case _: java.util.concurrent.RejectedExecutionException => () } // its loop has ended
    }
  }

  private def whenClosed(client: Client, port: Int): Unit = {
    refused("a closed client") { isRun => client.await { isRun(); Async.unit } }
    try {
      client.get(s"http://127.0.0.1:$port/now").await()
      world.found("a closed client has made a call")
    } catch { case _: ClientError.ClientClosed => () }
  }

  private def refused(what: String)(await: (() => Unit) => Unit): Unit = {
    var isRun = false
    try {
      await(() => isRun = true)
      world.found(s"await of $what has returned")
    } catch { case _: IllegalStateException => () }
    if (isRun) world.found(s"await of $what has run its body")
  }
}

private object AwaitScenario {
  private val pauses = Seq(1000L, 20000000L, 2000000000L)

  /** What its calls ask for. */
  private val kinds: Seq[String] =
    Service.steadyKinds ++ Seq("later", "blocking", "thread", "actor", "never", "nothing")
}
