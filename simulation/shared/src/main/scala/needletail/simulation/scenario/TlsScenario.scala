package needletail.simulation.scenario

import scala.concurrent.duration._
import scala.util.{Failure, Success, Try}

import needletail.client.Client
import needletail.client.config.{ClientConfig, RetryConfig}
import needletail.io.{
  Address,
  EventLoops,
  Tls,
  TlsCertificate,
  TlsClientAuth,
  TlsClientConfig,
  TlsLimits,
  TlsServerConfig,
  TlsTrust
}
import needletail.server._
import needletail.simulation.reader.Mark
import needletail.simulation.service.{Service, UserCode}
import needletail.simulation.tls._
import needletail.simulation.visit.{Caller, HttpProbe, HttpVisit}
import needletail.simulation.world.{End, World}

/**
 * A server with TLS, by the platform's own implementation, and clients that speak TLS well, badly or not at all; and the
 * library's client, which also calls a server that ends without saying so. The bytes on the network differ from run to run,
 * as their keys do; what happens, and in which order, does not.
 */
final class TlsScenario(world: World) extends Scenario {
  world.trace.countsBytes = true

  private val dice       = world.dice
  private val code       = new UserCode(world)
  private val operations = new Operations
  private val service    = new Service(world, code, operations, seen)
  private val talks      = new PlatformTalks

  // In some simulations nothing happens that would reset a slow but steady reader.
  private val isFair = dice.chance(20)
  if (isFair)
    world.weather = world.weather.copy(
      stalls = 0,
      preempted = 0,
      resets = 0,
      acceptFails = 0,
      configFails = 0,
      throws = 0
    )

  // In some the library's client is there too. Fatal errors are tested in the others.
  private val calls = if (dice.chance(50)) dice.size(8) else 0
  if (calls > 0) world.weather = world.weather.copy(fatal = false)

  private val asksClients    = dice.chance(40)
  private val needsClients   = asksClients && dice.chance(50)
  private val refusesUnknown = dice.chance(50)

  private val identity = Tls.server(TlsServerConfig(
    certificates = Seq(TestKeys.one, TestKeys.two).map(TlsScenario.certificate),
    refuseUnknownNames = refusesUnknown,
    clients = if (!asksClients) None
    else
      Some(TlsClientAuth(TestKeys.file(TestKeys.authority), needsClients, check = _.subject != "CN=bob")),
    limits = TlsLimits(if (isFair) 1024 else dice.pick(Seq(1, 3, 1024)), 10.seconds)
  ))

  private val config = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    loops = dice.between(1, 3),
    maxConnections = if (isFair) 64 else dice.pick(Seq(2, 3, 16, 64)),
    tls = Some(identity),
    maxBody = 2000000,
    maxBodyInMemory = 1000000,
    headTimeout = 2.seconds,
    bodyTimeout = 3.seconds,
    idleTimeout = 5.seconds,
    crowdedIdleTimeout = 100.millis,
    writeTimeout = 3.seconds,
    handlerTimeout = 4.seconds,
    maxPendingOutput = dice.pick(Seq(1, 1000, 256 * 1024)),
    lingerTimeout = 1.second,
    drainGrace = 200.millis,
    drainTimeout = 5.seconds,
    blockedLoop = Duration.Zero,
    operations = Some(operations),
    log = new WorldLog(world, code)
  )

  /** Who gets no further than garbage or plain text: its marks must reach no handler. */
  private var strangers = Set.empty[String]

  private def seen(mark: String): Unit =
    if (strangers(mark)) world.found(s"$mark has reached a handler, though it was not sent through TLS")

  def run(): Unit = {
    val server = Server(service.routes, config).startOn(world.platform)
    val visits = (1 to dice.size(6)).map { n =>
      var visit: Visit = null
      world.after(dice.longBetween(0, dice.pick(Seq(1L, 10000000L, 3000000000L)))) {
        visit = newVisit(n, server.port)
      }
      () => visit
    }
    val clients = if (calls == 0) null else new Calls(server.port)
    // sometimes it is told to drain in between, or to read its certificates again
    if (!isFair && dice.chance(25)) world.after(dice.longBetween(0, 3000000000L)) { server.drain(); () }
    if (dice.chance(25)) world.after(dice.longBetween(0, 3000000000L))(identity.reload())
    world.run(400.seconds.toNanos)(
      visits.forall(v =>
        v() != null && v().isOver
      ) && (clients == null || clients.areOver) || world.fatalLoops > 0
    )
    world.clearUp()
    if (world.fatalLoops == 0) visits.foreach(v => if (v() != null) v().check())
    if (clients != null) clients.check()
    finish(world, code, server, new HttpProbe(world, server.port, good))
    if (world.fatalLoops == 0 && identity.counts.present != 0)
      world.found(s"${identity.counts.present} handshakes are counted as under way, and nobody is there")
  }

  /** A client as it should be. */
  private def good(end: End): TlsLine = line(end, talks.client("localhost", false, mine), TlsLine.Plan.plain)

  private def mine: String = if (asksClients) TestKeys.ann else null

  private def line(end: End, talk: TlsTalk, plan: TlsLine.Plan): TlsLine =
    new TlsLine(world, end, talk, plan, if (isFair) 12.seconds.toNanos else 40.seconds.toNanos)

  // What is said to a client that is sent away is cut off where the kernel takes a part of it.
  private val mayBeCut = world.weather.shortReads > 0

  // Clients

  private trait Visit {
    def isOver: Boolean
    def check(): Unit
  }

  private def newVisit(n: Int, port: Int): Visit =
    if (isFair && n == 1) new Talking(n, port, isSteady = true)
    else
      dice.below(10) match {
        case 0                             => new Speechless(n, port)
        case 1 if PlatformTalks.beginsAnew => new Flooding(port)
        case _                             => new Talking(n, port, isSteady = false)
      }

  /** Requests through TLS; who may not ask gets no answer. */
  private final class Talking(n: Int, port: Int, isSteady: Boolean) extends Visit {
    private val name =
      if (isSteady) "localhost" else dice.pick(Seq("localhost", "localhost", "two.example", "other.example"))
    private val isOld   = dice.chance(30)
    private val showing =
      if (isSteady) mine else dice.pick(Seq(null, TestKeys.ann, TestKeys.ann, TestKeys.bob, TestKeys.eve))
    private val plan         = if (isSteady) TlsLine.Plan.steady else TlsLine.Plan(dice)
    private var own: TlsLine = null
    private val visit        = new HttpVisit(
      world,
      n,
      port,
      isSteady,
      end => { own = line(end, talks.client(name, isOld, showing), plan); own }
    )

    private val isWelcome = !(name == "other.example" && refusesUnknown) &&
      !(asksClients && showing == TestKeys.bob) && !(asksClients && showing == TestKeys.eve) && !(needsClients && showing == null)

    def isOver: Boolean = visit.isOver && (own == null || own.isClosed || own.isSilent)

    def check(): Unit = {
      if (own == null || !own.isSilent && !own.isBroken) visit.check()
      if (!isWelcome && visit.answered > 0)
        world.found(s"visitor $n was answered, and should have been refused")
      if (isSteady && !visit.isServed)
        world.found("a reader who is slow and steady was not given all that it asked for")
      if (own != null) {
        val wanted = if (name == "two.example") "CN=two" else "CN=one"
        if (own.talk.isSecured && own.talk.peer != wanted)
          world.found(s"visitor $n asked for $name and was shown ${own.talk.peer}")
        if (visit.hasClosed && own.isTruncated && visit.isPatient)
          world.found(s"visitor $n got the last response, and was not told that it is the end")
      }
    }
  }

  /** Something else than TLS. */
  private final class Speechless(n: Int, port: Int) extends Visit {
    private val mark   = Mark(n, 1)
    private val isHttp = dice.chance(50)
    private val end    = world.network.connect(port)
    private val got    = new StringBuilder
    private val caller =
      new Caller(end)(
        (bytes, count) => { got.append(new String(bytes, 0, count, "ISO-8859-1")); () },
        _ => ()
      )
    private val begun = world.now
    strangers += mark
    caller.send(
      if (isHttp) Service.ascii(s"GET /now HTTP/1.1\r\nHost: a\r\nX-Mark: $mark\r\nX-Size: 5\r\n\r\n")
      else {
        val garbage = Array.fill(3 + dice.size(3000))(dice.below(256).toByte)
        if (dice.chance(50)) Array[Byte](22, 3, 1).copyToArray(garbage) // as if it were a record
        garbage
      }
    )

    def isOver: Boolean = caller.isOver || world.now - begun > 100.seconds.toNanos

    def check(): Unit = {
      if (!caller.isOver && caller.taken > 0 && !end.isSilent)
        world.found(s"visitor $n speaks no TLS, and stays connected")
      val answer = got.toString
      val begins = "HTTP/1.1 400 "
      val isTold = answer.startsWith(begins) || begins.startsWith(answer) && mayBeCut
      if (isHttp && (answer.nonEmpty || isFair) && !isTold)
        world.found(s"visitor $n speaks plain HTTP, and is told: $answer")
      caller.close()
    }
  }

  /** New keys without end, or another handshake. */
  private final class Flooding(port: Int) extends Visit {
    private val isOld = dice.chance(30)
    private val kind  =
      if (isOld) TlsFlood.handshake
      else if (dice.chance(50)) TlsFlood.mixed else TlsFlood.keys(dice.chance(50))
    private val end   = world.network.connect(port)
    private val flood = if (end == null) null
    else
      new TlsFlood(
        world,
        end,
        line(end, talks.client("localhost", isOld, mine), TlsLine.Plan.plain),
        kind,
        end.capacity
      )

    def isOver: Boolean = flood == null || flood.isOver
    def check(): Unit   = if (flood != null && isOld && !mayBeCut && !flood.isRefused)
      world.found("another handshake was not refused with an alert")
  }

  /** The library's client. */
  private final class Calls(port: Int) {
    private val loops  = new EventLoops(dice.between(1, 2), "client", platform = world.platform)
    private val remote = new EndingServer(world, talks)
    private val client = Client(
      ClientConfig(
        connectionsPerHost = dice.pick(Seq(1, 4)),
        connectTimeout = dice.pick(Seq(1.second, 4.seconds)),
        requestTimeout = 6.seconds,
        bodyTimeout = 3.seconds,
        idleTimeout = dice.pick(Seq(100.millis, 3.seconds)),
        retry = RetryConfig(attempts = dice.between(1, 2)),
        tls = Tls.client(TlsClientConfig(
          TlsTrust.File(TestKeys.file(TestKeys.authority)),
          certificate = Option(mine).map(TlsScenario.certificate),
          resume = dice.chance(70)
        ))
      ),
      loops
    )
    private var ended = 0

    for (n <- 1 to calls)
      world.after(dice.longBetween(0, dice.pick(Seq(1L, 20000000L, 4000000000L)))) {
        val loop = loops(dice.below(loops.size))
        try loop.execute(() => call(n))
        catch { case _: java.util.concurrent.RejectedExecutionException => ended += 1 }
      }

    def areOver: Boolean = ended == calls

    private def call(n: Int): Unit = {
      val mark     = Mark(50, n)
      val size     = if (dice.chance(80)) dice.size(3000) else dice.size(100000)
      val isRemote = dice.chance(40)
      val kind     = dice.pick(Service.steadyKinds)
      val url      = s"https://localhost:${if (isRemote) remote.port else port}/$kind"
      client.get(url).header("X-Mark", mark).header("X-Size", size.toString).response.onComplete { result =>
        ended += 1
        check(mark, Mark.content(mark, size), isRemote, result.map(r => (r.status.code, r.bytes)))
      }
    }

    private def check(
        mark: String,
        content: Array[Byte],
        isRemote: Boolean,
        result: Try[(Int, Array[Byte])]
    ): Unit =
      result match {
        case Success((200, bytes)) =>
          if (!java.util.Arrays.equals(bytes, content))
            world.found(s"the call $mark got ${bytes.length} bytes, and not the ${content.length} of its own")
          if (isRemote && !remote.hasSaidEnd(mark))
            world.found(s"the call $mark was cut off, and succeeded")
        case Success((status, _)) => world.trace.say(world, s"the call $mark was answered $status")
        case Failure(e)           => world.trace.say(world, s"the call $mark failed: $e")
      }

    def check(): Unit = {
      if (world.fatalLoops == 0) {
        if (!areOver) world.found(s"${calls - ended} calls have never come to an end")
        world.pass(30.seconds.toNanos)
        client.statistics.foreach { s =>
          if (s.open != 0 || s.inFlight != 0 || s.waiting != 0 || s.idle != 0)
            world.found(s"the client still counts: $s")
        }
      }
      client.close()
      remote.close()
      world.pass(5.seconds.toNanos)
      loops.stop()
    }
  }
}

object TlsScenario {
  private def certificate(pem: String): TlsCertificate =
    TlsCertificate(TestKeys.file(pem), TestKeys.file(TestKeys.key))
}
