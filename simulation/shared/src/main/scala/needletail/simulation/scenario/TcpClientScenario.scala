package needletail.simulation.scenario

import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.RejectedExecutionException

import scala.concurrent.duration._
import scala.util.{Failure, Success}

import needletail.async.{Async, Loop}
import needletail.io.EventLoops
import needletail.server.Answer
import needletail.server.tcp.TcpServer
import needletail.simulation.reader.Mark
import needletail.simulation.service.UserCode
import needletail.simulation.world.World
import needletail.tcp._

/**
 * A server of a line protocol and its client, with pipelining and messages that the server sends by itself: every
 * request completes, with its own answer or an error; and nothing is left of them.
 */
final class TcpClientScenario(world: World) extends Scenario {
  private val random = world.random
  private val code   = new UserCode(world)

  /** Lines; those that begin with > answer nothing. */
  private final class Lines(side: String) extends Codec[String, String] {
    def decoder(): Decoder[String] = {
      code.at(s"a decoder of the $side")
      (bytes, from, until) => {
        code.at(s"decoding by the $side")
        var i = from
        while (i < until && bytes(i) != '\n') i += 1
        if (i == until) Decoded.More else Decoded.Message(new String(bytes, from, i - from, US_ASCII), i + 1)
      }
    }
    def encode(line: String): Array[Byte] = {
      code.at(s"encoding by the $side")
      (line + "\n").getBytes(US_ASCII)
    }
    override val maxMessage: Option[Int] = Some(1000000)
  }

  private var sessions = 0 // of which `connected` was told and `disconnected` was not

  private val protocol = new TcpProtocol[String, String](new Lines("client")) {
    override def connected(session: TcpSession[String, String]): Async[Unit] = {
      sessions += 1
      code.at("a greeting")
      if (random.percent(50)) Async.unit
      else session.call("hello;").map(_ => code.at("the end of a greeting"))
    }
    override def isPush(message: String, awaited: Option[String]): Boolean = {
      code.at("a question about a message")
      message.startsWith(">")
    }
    override def pushed(session: TcpSession[String, String], message: String): Unit = {
      if (!message.startsWith(">m0-")) world.found(s"what was pushed is an answer: ${message.take(60)}")
      code.at("a pushed message")
    }
    override def disconnected(session: TcpSession[String, String]): Unit = {
      sessions -= 1
      code.at("the end of a session")
    }
  }

  // Fatal errors are rare otherwise, and even more so where one ends a loop of the client.
  if (random.percent(10)) world.faults = world.faults.deadly

  private val config = Scenario.serverConfig(world, code).copy(
    loops = random.between(1, 2),
    maxConnections = random.pick(Seq(1, 3, 64)),
    maxPendingOutput = random.pick(Seq(1, 1000, 256 * 1024)),
    idleTimeout = random.pick(Seq(300.millis, 5.seconds)),
    handlerTimeout = 30.seconds
  )

  private val asking = TcpClientConfig(
    connections = random.pick(Seq(1, 2, 8)),
    pipelining = random.pick(Seq(1, 4, 100)),
    maxQueued = random.pick(Seq(1, 10, 1000)),
    connectTimeout = 1.second,
    requestTimeout = random.pick(Seq(100.millis, 2.seconds)),
    stallTimeout = random.pick(Seq(500.millis, 4.seconds)),
    idleTimeout = random.pick(Seq(100.millis, 3.seconds)),
    reconnectDelay = random.pick(Seq(1.milli, 50.millis)),
    maxReconnectDelay = random.pick(Seq(50.millis, 1.second)),
    maxPendingOutput = random.pick(Seq(1, 1000, 256 * 1024))
  )

  private var begun = 0
  private var ended = 0

  def run(): Unit = {
    val server = TcpServer.serveOn(world.platform, new Lines("server"), config)(_ => answer)
    val loops  = new EventLoops(random.between(1, 2), "client", platform = world.platform)
    val client = TcpClient(protocol, server.address, asking, loops)
    val calls  = random.skewed(60)
    val spread = random.pick(Seq(1L, 20000000L, 4000000000L))
    for (n <- 1 to calls)
      world.after(random.longBetween(0, spread)) {
        try loops(random.below(loops.size)).execute(() => call(client, n))
        catch { case _: RejectedExecutionException => begun += 1; ended += 1 }
      }
    world.run(200.seconds.toNanos)(begun == calls && ended == calls)
    world.stopFaults()
    if (ended < calls) world.found(s"${calls - ended} requests have never come to an end")
    world.pass(30.seconds.toNanos) // idle connections are closed
    check(client, calls)
    val isKilled = failed(world, loops) < world.fatalLoops
    checkFatal(world, code)
    if (isKilled) checkKilled(world, server.stopped) else if (server.isReady) recovers(client, loops)
    if (random.percent(50)) client.close() else client.drain()
    world.pass(15.seconds.toNanos)
    if (sessions != 0) world.found(s"of $sessions sessions nobody was told the end")
    if (client.statistics.open != 0)
      world.found(s"after its end the client has connections: ${client.statistics}")
    world.checkIdle()
    loops.stop()
    server.drain()
    if (!isKilled) checkDrain(world, server.stopped, 30.seconds)
    world.pass(10.seconds.toNanos)
    checkNothingLeft(world)
  }

  private def answer(line: String): Async[Answer[String]] = {
    code.at("an answer")
    val pushed =
      Seq.fill(if (random.percent(20)) random.between(1, 3) else 0)(s">${Mark(0, random.below(100))}")
    val whole = Answer(if (random.percent(50)) pushed :+ line else line +: pushed, close = random.percent(3))
    if (line.startsWith("quiet")) Async.value(Answer(pushed, close = false))
    else if (random.percent(60)) Async.value(whole)
    else if (random.percent(5)) Async.sleep(20.seconds).map(_ => whole) // the client does not wait for that
    else Async.sleep(random.longBetween(0, 900000000L).nanos).map(_ => whole)
  }

  private def call(client: TcpClient[String, String], n: Int): Unit = {
    begun += 1
    val home = Loop.current
    if (random.percent(10)) told(client.send("quiet;")).onComplete(_ => ended += 1)
    else {
      val mark   = Mark(1, n)
      val text   = mark * (if (random.percent(90)) random.skewed(40) else random.skewed(20000))
      val result =
        if (random.percent(70)) told(client.call(text))
        else told(client.call(text, random.longBetween(1, 3000000000L).nanos))
      if (random.percent(15)) world.after(random.longBetween(0, 1000000000L)) {
        try home.execute(() => result.cancel())
        catch { case _: RejectedExecutionException => () } // its loop has ended
      }
      result.onComplete {
        case Success(own) =>
          ended += 1
          if (own != text) world.found(s"a request got '${own.take(60)}' instead of '${text.take(60)}'")
          code.aside("a callback of a request")
        case Failure(e) =>
          ended += 1
          world.trace.say(world, s"the request $mark failed: $e")
          code.aside("a callback of a request")
      }
    }
  }

  /** The caller itself gets a fatal error that is thrown while its request begins. */
  private def told[A](request: => Async[A]): Async[A] =
    try request
    catch {
      case fatal: VirtualMachineError =>
        ended += 1
        throw fatal
    }

  private def check(client: TcpClient[String, String], calls: Int): Unit = {
    val s = client.statistics
    if (s.open != 0 || s.inFlight != 0 || s.waiting != 0) world.found(s"the client still counts: $s")
    if (s.answered + s.failed > s.requests) world.found(s"more has ended than begun: $s of $calls")
  }

  /** Whatever happened: a healthy server is called again, by all loops. */
  private def recovers(client: TcpClient[String, String], loops: EventLoops): Unit =
    for (i <- 0 until loops.size if !world.failedLoops.contains(loops(i))) {
      var last = "none was made"
      var left = 12
      while (left > 0 && last != "Success(probe;)") {
        left -= 1
        last = "it has not come to its end"
        loops(i).execute(() => client.call("probe;", 5.seconds).onComplete(result => last = result.toString))
        world.pass(6.seconds.toNanos)
      }
      if (last != "Success(probe;)") world.found(s"the server is well, and a request fails: $last")
      world.pass(6.seconds.toNanos) // it does not hold the only connection of the server
    }
}
