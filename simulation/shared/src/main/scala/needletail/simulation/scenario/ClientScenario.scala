package needletail.simulation.scenario

import java.util.concurrent.RejectedExecutionException

import scala.concurrent.ExecutionContext
import scala.concurrent.duration._
import scala.util.{Failure, Success, Try}

import needletail.async.{Async, Loop, Survivable}
import needletail.client.{Call, Client}
import needletail.client.config.{BreakerConfig, ClientConfig, ContentDecoding, RetryConfig}
import needletail.client.policy.BreakerState
import needletail.http.{ByteStream, MessageBody}
import needletail.http.text.ByteWriter
import needletail.io.EventLoops
import needletail.server._
import needletail.simulation.peer.HttpProbe
import needletail.simulation.reader.Mark
import needletail.simulation.service.{Service, UserCode}
import needletail.simulation.world.World

/**
 * A client with its pools, retries and breaker, on loops of its own, and a server, in one simulation: every call
 * completes, with its own response or an error.
 */
final class ClientScenario(world: World) extends Scenario {
  import ClientScenario.Answer

  private val random     = world.random
  private val code       = new UserCode(world)
  private val operations = new Operations
  private val service    = new Service(world, code, operations)

  // Fatal errors are rare otherwise, and even more so where one ends a loop of the client.
  if (random.percent(10)) world.faults = world.faults.deadly

  private val config = Scenario.serverConfig(world, code, operations).copy(
    loops = random.between(1, 2),
    maxConnections = random.pick(Seq(2, 16, 64)),
    idleTimeout = random.pick(Seq(200.millis, 5.seconds))
  )

  private val asking = ClientConfig(
    connectionsPerHost = random.pick(Seq(1, 2, 8)),
    maxQueued = random.pick(Seq(0, 4, 100)),
    queueTimeout = 2.seconds,
    connectTimeout = 1.second,
    requestTimeout = random.pick(Seq(500.millis, 6.seconds)),
    bodyTimeout = 3.seconds,
    idleTimeout = random.pick(Seq(100.millis, 3.seconds)),
    pipelining = random.pick(Seq(1, 1, 4)),
    maxUnreadBody = random.pick(Seq(0, 64 * 1024)),
    maxPendingOutput = random.pick(Seq(1, 256 * 1024)),
    retry = RetryConfig(attempts = random.between(1, 3)),
    breaker = BreakerConfig(
      minCalls = random.pick(Seq(1, 3, 20)),
      openFor = random.pick(Seq(50.millis, 500.millis)),
      probes = random.between(1, 3)
    ),
    decoding = if (random.percent(50)) Some(Unchanging) else None
  )

  /** A coding of a program's own. */
  private object Unchanging extends ContentDecoding {
    val accepts: String                                                 = Service.Coding
    def decode(coding: String, content: ByteStream): Option[ByteStream] = {
      code.at("a decoding")
      if (coding != accepts) None else Some(content.map { piece => code.at("a decoded piece"); piece })
    }
  }

  // In some the server falls silent towards the client, at any byte. Chosen by the seed itself, as other scenarios are.
  // Nothing else delays their calls beyond their time.
  private val fallsSilent = world.seed % 20 == 0 || world.seed % 20 == 2
  private var isCalm      = false // no more faults
  if (fallsSilent) world.faults = world.faults.copy(stalls = 0, preempted = 0)

  private var begun = 0

  // The numbers of calls that have ended, and of those whose caller was thrown a fatal error instead.
  private var ended = Set.empty[Int]
  private var lost  = Set.empty[Int]

  def run(): Unit = {
    val server = Server(service.routes, config).startOn(world.platform)
    readRequests(world, server.port, _.ownContent)
    val reads = world.network.onConnect
    readMetrics(world, server.port)
    if (fallsSilent) world.network.onConnect = (port, end) => {
      reads(port, end)
      if (port == server.port && !isCalm && random.percent(40)) end.audible = random.skewed(30000) - 1L
    }
    val loops  = new EventLoops(random.between(1, 2), "client", platform = world.platform)
    val client = Client(asking, loops)
    val calls  = random.skewed(20)
    for (n <- 1 to calls)
      world.after(random.longBetween(0, random.pick(Seq(1L, 20000000L, 4000000000L)))) {
        begun += 1
        if (random.percent(20)) fromOutside(client, server.port, n)
        else {
          val loop = loops(random.below(loops.size))
          try loop.execute(() => call(client, server.port, n))
          catch { case _: RejectedExecutionException => ended += n }
        }
      }
    world.run(200.seconds.toNanos)(begun == calls && ended.size == calls)
    world.stopFaults()
    isCalm = true
    val endless = (1 to calls).filterNot(n => ended(n) || lost(n))
    if (endless.nonEmpty) world.found(s"calls have never come to an end: ${endless.mkString(", ")}")
    world.pass(30.seconds.toNanos) // idle connections are closed
    client.statistics.foreach { s =>
      if (
        s.open != 0 || s.inFlight != 0 || s.waiting != 0 || s.idle != 0 || s.addresses.exists(_.inFlight != 0)
      )
        world.found(s"the client still counts: $s")
    }
    if (server.isReady && world.fatalLoops == 0) recovers(client, loops, server.port)
    client.close()
    world.pass(5.seconds.toNanos)
    loops.stop()
    finish(world, code, server, new HttpProbe(world, server.port), loops)
  }

  /** Whatever the state of its breaker: a healthy host is called again, by all loops. */
  private def recovers(client: Client, loops: EventLoops, port: Int): Unit = {
    var left = 12
    var last = "none was made"
    while (left > 0) {
      left -= 1
      var isOver = false
      loops(0).execute { () =>
        client.get(s"http://127.0.0.1:$port/probe").response.onComplete { result =>
          isOver = true
          last = result.fold(_.toString, answer => s"status ${answer.status.code}")
        }
      }
      world.run(10.seconds.toNanos)(isOver)
      world.pass(3.seconds.toNanos)
      if (!isOver) last = "it has not come to its end"
    }
    val states = client.statistics.map(_.breaker)
    if (last != "status 200" || states.exists(_ != BreakerState.Closed))
      world.found(s"the host is well, and is not asked again: $last, breakers $states")
  }

  /** A call of another thread: its future is completed whatever is thrown. */
  private def fromOutside(client: Client, port: Int, n: Int): Unit = {
    val asked = new Asked(client, port, n)
    client.run { code.at("a body of run"); asked.send() }.onComplete(asked.end)(ExecutionContext.parasitic)
  }

  private def call(client: Client, port: Int, n: Int): Unit = {
    val home   = Loop.current
    val asked  = new Asked(client, port, n)
    val answer =
      try asked.send()
      catch {
        case e: Throwable if !Survivable(e) => lost += n; throw e
      } // of another call's callback, and fatal
    if (random.percent(15)) world.after(random.longBetween(0, 1000000000L)) {
      try home.execute(() => answer.cancel())
      catch { case _: RejectedExecutionException => () } // its loop has ended
    }
    answer.onComplete { result =>
      asked.end(result)
      code.aside("a callback of a call")
    }
  }

  /** A call and what comes of it. */
  private final class Asked(client: Client, port: Int, n: Int) {
    private val since   = world.now
    private val mark    = Mark(1, n)
    private val hasBody = random.percent(40)
    private val kind    = random.pick(if (hasBody) Service.bodyKinds else Service.kinds)
    private val content =
      Service.content(kind, mark, if (random.percent(80)) random.skewed(3000) else random.skewed(100000))
    private val size      = content.length
    private var isLimited = true // its whole time is `requestTimeout`, as none of it is streamed

    def send(): Async[Answer] = {
      val call    = made()
      val isWhole = random.percent(50)
      isLimited &&= isWhole
      if (isWhole) {
        val whole =
          if (random.percent(70)) call.response
          else call.expecting { _ => code.at("an expecting"); true }
        whole.map(r => (r.status.code, r.header("X-Mark"), r.bytes))
      } else
        call.stream.flatMap { r =>
          code.at("a streamed answer")
          MessageBody.collect(r.body, new ByteWriter(1024), 1 << 20)
            .map(bytes => (r.status.code, r.header("X-Mark"), bytes))
        }
    }

    private def made(): Call = {
      val url   = s"http://127.0.0.1:$port/$kind"
      val plain = (if (hasBody) client.post(url) else client.get(url))
        .header("X-Mark", mark).header("X-Size", size.toString)
      val call =
        Option(Service.authorization(kind)).foldLeft(plain)((call, own) => call.header("Authorization", own))
      if (!hasBody) call
      else {
        isLimited = random.percent(50)
        val body =
          if (isLimited) call.body(content)
          else
            call.body(code.requestStream(content, if (random.percent(10)) size / 2 else Int.MaxValue))
        if (random.percent(20)) body.expectContinue else body
      }
    }

    def end(result: Try[Answer]): Unit = {
      if (ended(n)) world.found(s"the call $mark came to an end a second time")
      ended += n
      val took = world.now - since
      if (fallsSilent && isLimited && took > asking.requestTimeout.toNanos + ClientScenario.Slack)
        world.found(s"the call $mark took ${took / 1000000} ms, more than ${asking.requestTimeout}")
      check(mark, if (kind == "page" || Service.mayEndEarly(kind)) null else content, result)
    }
  }

  private def check(
      mark: String,
      content: Array[Byte],
      result: Try[Answer]
  ): Unit =
    result match {
      case Success((status, own, bytes)) =>
        val strange = Mark.others(mark, new String(bytes, "ISO-8859-1") + own.getOrElse(""))
        if (strange.nonEmpty)
          world.found(s"a call got an answer to ${strange.mkString(", ")} instead of $mark")
        else if (
          status == 200 && content != null && (!own.contains(mark) || !java.util.Arrays.equals(
            bytes,
            content
          ))
        )
          world.found(
            s"a call got ${bytes.length} bytes and the mark $own instead of ${content.length} of $mark"
          )
      case Failure(e) => world.trace.say(world, s"the call $mark failed: $e")
    }
}

private object ClientScenario {

  /** The status of a response, its mark and its content. */
  private type Answer = (Int, Option[String], Array[Byte])

  /** Timers wait in whole milliseconds; the network and readings of the clock add something, too. */
  private final val Slack = 20L * 1000 * 1000
}
