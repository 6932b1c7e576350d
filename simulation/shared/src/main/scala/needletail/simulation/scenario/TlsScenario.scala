package needletail.simulation.scenario

import scala.concurrent.duration._
import scala.util.{Failure, Success, Try}

import needletail.client.Client
import needletail.client.config.{ClientConfig, RetryConfig}
import needletail.io.{
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
import needletail.simulation.peer.{HttpProbe, Peer, PeerGroup, RawHttpClient, SimpleClient}
import needletail.simulation.reader.Mark
import needletail.simulation.service.{Service, UserCode}
import needletail.simulation.tls._
import needletail.simulation.world.{Endpoint, World}

/**
 * A server with TLS, by the platform's own implementation, and clients that speak TLS well, badly or not at all; and the
 * library's client, which also calls a server that ends without saying so. The bytes on the network differ from run to run,
 * as their keys do; what happens, and in which order, does not.
 */
final class TlsScenario(world: World) extends Scenario {
  world.trace.countsBytes = true

  private val random     = world.random
  private val code       = new UserCode(world)
  private val operations = new Operations
  private val service    = new Service(world, code, operations, seen)
  private val engines    = new PlatformTlsEngines
  engines.seed(world.seed)

  // In some simulations nothing happens that would reset a slow but steady reader.
  private val isFair = random.percent(20)
  if (isFair) world.faults = world.faults.undisturbed

  // In some the library's client is there too. Fatal errors are tested in the others.
  private val calls = if (random.percent(50)) random.skewed(8) else 0

  // In some the server's own check of certificates throws. Chosen by the seed itself, as other scenarios are.
  private val checkThrows = world.seed % 9 == 6 && !isFair
  if (checkThrows && world.faults.throws == 0) world.faults = world.faults.copy(throws = 100)

  private val asksClients    = random.percent(40) || checkThrows
  private val needsClients   = asksClients && random.percent(50)
  private val refusesUnknown = random.percent(50)

  // In some the server accepts ann only until then, by a check of its own, and then only who is connected already.
  private val refusesAnn = if (asksClients && !isFair && random.percent(30))
    world.now + random.longBetween(0, 3000000000L)
  else Long.MaxValue
  private def accepts(subject: String): Boolean = {
    if (checkThrows) code.at("a check of certificates")
    subject != "CN=bob" && (subject != "CN=ann" || world.now < refusesAnn || isCalm)
  }

  private var isCalm     = false // no more faults
  private var isDraining = false // before that

  // In some, chosen by the seed itself, handshakes take turns on the loop on the JVM, too.
  private val identity = engines.identity(
    TlsServerConfig(
      certificates = Seq(TestKeys.one, TestKeys.two).map(TlsScenario.certificate),
      refuseUnknownNames = refusesUnknown,
      clients = if (!asksClients) None
      else
        Some(TlsClientAuth(TestKeys.file(TestKeys.authority), needsClients, check = c => accepts(c.subject))),
      limits = TlsLimits(if (isFair) 1024 else random.pick(Seq(1, 3, 1024)), 10.seconds)
    ),
    isInline = world.seed % 7 < 2
  )

  private val config = Scenario.serverConfig(world, code, operations).copy(
    loops = random.between(1, 3),
    maxConnections = if (isFair) 64 else random.pick(Seq(2, 3, 16, 64)),
    tls = Some(identity),
    maxBody = 2000000,
    maxBodyInMemory = 1000000,
    maxPendingOutput = random.pick(Seq(1, 1000, 256 * 1024))
  )

  /** By which it looks whether certificates have expired. */
  override protected def keptTimers: Int = 1

  /** Who gets no further than garbage or plain text: its marks must reach no handler. */
  private var withoutTls = Set.empty[String]

  private def seen(mark: String): Unit =
    if (withoutTls(mark)) world.found(s"$mark has reached a handler, though it was not sent through TLS")

  def run(): Unit =
    try started(world, code)(Server(service.routes, config).startOn(world.platform)).foreach(play)
    finally engines.close()

  private def play(server: RunningServer): Unit = {
    val peers   = new PeerGroup(world, random.skewed(6))(n => newPeer(n, server.port))
    val clients = if (calls == 0) null else new Calls(server.port)
    readMetrics(world, server.port, good)
    // sometimes it is told to drain in between, or to read its certificates again
    if (!isFair && random.percent(25)) world.after(random.longBetween(0, 3000000000L)) {
      isDraining = true
      server.drain()
      ()
    }
    if (random.percent(25)) world.after(random.longBetween(0, 3000000000L))(identity.reload())
    world.run(400.seconds.toNanos)(
      (peers.areOver || world.fatalLoops > 0) && (clients == null || clients.areOver || clients.haveFailed)
    )
    world.stopFaults()
    isCalm = true
    if (world.fatalLoops == 0) peers.check()
    if (clients != null) clients.check()
    finish(
      world,
      code,
      server,
      new HttpProbe(world, server.port, good),
      if (clients == null) null else clients.loops
    )
    if (world.fatalLoops == 0 && identity.counts.present != 0)
      world.found(s"${identity.counts.present} handshakes are counted as under way, and nobody is there")
  }

  /** A client as it should be. */
  private def good(end: Endpoint): TlsPeerConnection =
    line(end, engines.client("localhost", false, mine), TlsPeerConnection.Plan.plain)

  private def mine: String = if (asksClients) TestKeys.ann else null

  private def line(end: Endpoint, engine: TlsEngine, plan: TlsPeerConnection.Plan): TlsPeerConnection =
    new TlsPeerConnection(world, end, engine, plan, if (isFair) 12.seconds.toNanos else 40.seconds.toNanos)

  private val neverFails = world.faults.throws == 0

  /** Whether the server may have ended a connection of that time: for lack of time, because it drains or for a failure. */
  private def mayEnd(begun: Long): Boolean =
    !neverFails || isDraining || world.now - begun >= config.headTimeout.toNanos

  // What is said to a client that is sent away is cut off where the kernel takes a part of it, and nothing is said where a
  // socket cannot be set up.
  private val mayBeCut = world.faults.shortReads > 0 || world.faults.configFails > 0

  // Clients

  private def newPeer(n: Int, port: Int): Peer =
    if (isFair && n == 1) new Requesting(n, port, isSteady = true)
    else
      random.below(20) match {
        case 0 | 1     => new NotTls(n, port)
        case 2 | 3 | 4 => new Flooding(port)
        case 5         => new Fragmenting(n, port)
        case _         => new Requesting(n, port, isSteady = false)
      }

  /** Requests through TLS; who may not ask gets no answer. */
  private final class Requesting(n: Int, port: Int, isSteady: Boolean) extends Peer {
    private val name =
      if (isSteady) "localhost"
      else random.pick(Seq("localhost", "localhost", "two.example", "other.example"))
    private val isOld   = random.percent(30)
    private val showing =
      if (isSteady) mine else random.pick(Seq(null, TestKeys.ann, TestKeys.ann, TestKeys.bob, TestKeys.eve))
    private val plan = if (isSteady) TlsPeerConnection.Plan.steady else TlsPeerConnection.Plan(random)
    private var own: TlsPeerConnection = null

    /** Whether what the server says in a handshake, and an alert, are taken whole by the client's kernel. */
    private var hasRoom = false

    private val client = new RawHttpClient(
      world,
      n,
      port,
      isSteady,
      end => {
        hasRoom = end.capacity >= TlsScenario.LeastRoom
        own = line(end, engines.client(name, isOld, showing), plan)
        own
      }
    )

    private val isWelcome = !(name == "other.example" && refusesUnknown) &&
      !(asksClients && showing == TestKeys.ann && world.now >= refusesAnn) &&
      !(asksClients && showing == TestKeys.bob) && !(asksClients && showing == TestKeys.eve) && !(needsClients && showing == null)

    def isOver: Boolean = client.isOver && (own == null || own.isClosed || own.isSilent)

    def check(): Unit = {
      if (own == null || !own.isSilent && !own.isBroken) client.check()
      if (!isWelcome && client.answered > 0)
        world.found(s"client $n was answered, and should have been refused")
      if (isSteady && !client.isServed)
        world.found("a reader who is slow and steady was not given all that it asked for")
      if (own != null) {
        val wanted = if (name == "two.example") "CN=two" else "CN=one"
        if (own.engine.isSecured && own.engine.peer != wanted)
          world.found(s"client $n asked for $name and was shown ${own.engine.peer}")
        if (
          !isWelcome && own.engine.failure == null && plan.fault == TlsPeerConnection.None &&
          (own.isTruncated && !mayBeCut || own.isCutOff && isFair && hasRoom)
        )
          world.found(s"client $n was refused, and not told why")
        // a server that sees its client's stream cut off need not say the end of its own
        val isCut = own.isInjected && plan.fault == TlsPeerConnection.Cut
        if (client.hasClosed && own.isTruncated && client.isPatient && !isCut)
          world.found(s"client $n got the last response, and was not told that it is the end")
      }
    }
  }

  /** Something else than TLS. */
  private final class NotTls(n: Int, port: Int) extends Peer {
    private val mark   = Mark(n, 1)
    private val isHttp = random.percent(50)
    private val end    = world.network.connect(port)
    private val got    = new StringBuilder
    private val caller =
      new SimpleClient(end)(
        (bytes, count) => { got.append(new String(bytes, 0, count, "ISO-8859-1")); () },
        isReset => hasEnded = !isReset
      )
    private var hasEnded = false // orderly
    private val begun    = world.now
    withoutTls += mark
    private val sent =
      if (isHttp) Service.ascii(s"GET /now HTTP/1.1\r\nHost: a\r\nX-Mark: $mark\r\nX-Size: 5\r\n\r\n")
      else {
        val garbage = Array.fill(3 + random.skewed(3000))(random.below(256).toByte)
        if (random.percent(50)) Array[Byte](22, 3, 1).copyToArray(garbage) // as if it were a record
        garbage
      }
    caller.send(sent)

    def isOver: Boolean = caller.isOver || world.now - begun > 100.seconds.toNanos

    def check(): Unit = {
      if (!caller.isOver && caller.taken > 0 && !end.isSilent)
        world.found(s"client $n speaks no TLS, and stays connected")
      val answer = got.toString
      val begins = "HTTP/1.1 400 "
      val isTold = answer.startsWith(begins) || begins.startsWith(answer) && answer.nonEmpty && mayBeCut
      if (isHttp && (answer.nonEmpty || isFair || hasEnded && caller.taken > 0) && !isTold)
        world.found(s"client $n speaks plain HTTP, and is told: $answer")
      caller.close()
    }
  }

  /** New keys without end, or another handshake. */
  private final class Flooding(port: Int) extends Peer {
    private val isOld = random.percent(40)
    private val kind  =
      if (isOld) TlsFlood.handshake
      else if (random.percent(50)) TlsFlood.mixed else TlsFlood.keys(random.percent(50))
    private val end   = world.network.connect(port)
    private val begun = world.now
    private val flood = if (end == null) null
    else
      new TlsFlood(
        world,
        end,
        line(end, engines.client("localhost", isOld, mine), TlsPeerConnection.Plan.plain),
        kind,
        end.capacity,
        () => mayEnd(begun)
      )

    def isOver: Boolean = flood == null || flood.isOver
    def check(): Unit   = if (flood != null && isOld && !mayBeCut && !flood.isRefused)
      world.found("another handshake was not refused with an alert")
  }

  /** A greeting in many small records: the server takes some, and ends the connection if there are too many. */
  private final class Fragmenting(n: Int, port: Int) extends Peer {
    private val plan = TlsPeerConnection.Plan.plain.copy(greeting = random.pick(Seq(1, 1, 1, 5, 50)))
    private val end  = world.network.connect(port)
    private val own  =
      if (end == null) null else line(end, engines.client("localhost", random.percent(50), mine), plan)
    private val begun = world.now
    if (own != null) own.onChange = () => if (own.engine.isSecured || own.isReset) own.close()

    def isOver: Boolean = own == null || own.isClosed || world.now - begun > 60.seconds.toNanos
    def check(): Unit   = if (own != null) {
      if (own.greetings > TlsScenario.MostGreetings && own.engine.isSecured)
        world.found(s"client $n was admitted after a greeting of ${own.greetings} records")
      own.close()
    }
  }

  /** The library's client. */
  private final class Calls(port: Int) {
    val loops          = new EventLoops(random.between(1, 2), "client", platform = world.platform)
    private val remote = new CloseNotifyServer(world, engines)
    private val client = Client(
      ClientConfig(
        connectionsPerHost = random.pick(Seq(1, 4)),
        connectTimeout = random.pick(Seq(1.second, 4.seconds)),
        requestTimeout = 6.seconds,
        bodyTimeout = 3.seconds,
        idleTimeout = random.pick(Seq(100.millis, 3.seconds)),
        retry = RetryConfig(attempts = random.between(1, 2)),
        tls = Tls.client(TlsClientConfig(
          TlsTrust.File(TestKeys.file(TestKeys.authority)),
          certificate = Option(mine).map(TlsScenario.certificate),
          resume = random.percent(70)
        ))
      ),
      loops
    )
    private var ended = 0

    for (n <- 1 to calls)
      world.after(random.longBetween(0, random.pick(Seq(1L, 20000000L, 4000000000L)))) {
        val loop = loops(random.below(loops.size))
        try loop.execute(() => call(n))
        catch { case _: java.util.concurrent.RejectedExecutionException => ended += 1 }
      }

    def haveFailed: Boolean = failed(world, loops) > 0
    def areOver: Boolean    = ended == calls

    private def call(n: Int): Unit = {
      val mark     = Mark(50, n)
      val size     = if (random.percent(80)) random.skewed(3000) else random.skewed(100000)
      val isRemote = random.percent(40)
      val kind     = random.pick(Service.steadyKinds)
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
      if (!haveFailed) {
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

  /** For what a server says in a handshake, and an alert. */
  private final val LeastRoom = 8192

  /** More records than a handshake may come in. */
  private final val MostGreetings = 256

  private def certificate(pem: String): TlsCertificate =
    TlsCertificate(TestKeys.file(pem), TestKeys.file(TestKeys.key))
}
