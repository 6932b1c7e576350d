package needletail.simulation

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.http.ByteStream
import needletail.io.{Tls, TlsCertificate, TlsServerConfig}
import needletail.routing._
import needletail.server._
import needletail.simulation.peer.SimpleClient
import needletail.simulation.peer.websocket.Frames
import needletail.simulation.service.Service
import needletail.simulation.tls.{PlatformTlsEngines, TestKeys, TlsEngine}
import needletail.simulation.world.{Endpoint, FaultRates, World}
import needletail.tcp.{Codec, Decoded, Decoder}
import needletail.testing.Suite
import needletail.websocket.{webSocket, WebSocket}

/** Idle clients that have sent something ahead, behind replies in progress, do not keep the memory for good. */
class InputBehindRepliesSuite extends Suite {
  private val budget = 256L * 1024 // three quarters of it are for large requests

  private def silence: ByteStream = new ByteStream {
    def next(): Async[Option[Array[Byte]]] = new AsyncPromise[Option[Array[Byte]]]
    def cancel(): Unit                     = ()
  }

  private val routes = Routes(
    POST / "body" + request to (r => r.body.bytes.map(bytes => Response.ok.text(bytes.length.toString))),
    GET / "events" + request to (_ => Response.ok.stream(silence)),
    GET / "late" + request to (_ => Async.sleep(20.seconds).map(_ => Response.ok.text("late"))),
    GET / "unread" + request to (_ => Async.sleep(20.seconds).map(_ => Response.ok.stream(silence))),
    GET / "socket" to webSocket(socket => message => socket ! message),
    GET / "rests" to webSocket { socket =>
      socket.pause()
      _ => ()
    },
    GET / "feeds" to webSocket { socket =>
      socket.pause()
      socket ! piece
      feed(socket)
      _ => ()
    }
  )

  /** As fast as a [[Slow]] client reads, and a client of these sends nothing but what is here. */
  private def feed(socket: WebSocket): Unit =
    if (socket.isOpen) {
      socket ! piece
      Async.sleep(200.millis).onComplete(_ => feed(socket))
    }
  private def piece: Array[Byte] = new Array[Byte](4000)

  private val config = ServerConfig(
    loops = 1,
    memoryBudget = budget,
    handlerTimeout = 2.minutes,
    idleTimeout = 10.minutes,
    halfCloseGrace = 100.millis,
    overload = OverloadConfig.off,
    blockedLoop = Duration.Zero,
    log = Log.none
  )

  private def get(path: String, fields: String = "") = s"GET /$path HTTP/1.1\r\nHost: a\r\n$fields\r\n"
  private def post(size: Int)   = s"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: $size\r\n\r\n"
  private def length(size: Int) = s"Content-Length: $size\r\n"
  private def bytes(head: String, size: Int = 0) = Service.ascii(head) ++ new Array[Byte](size)
  private def statuses(answer: String) = "HTTP/1.1 (\\d+)".r.findAllMatchIn(answer).map(_.group(1)).toList

  private trait Client {
    protected val received     = new StringBuilder
    def answer: String         = received.toString
    def statuses: List[String] = InputBehindRepliesSuite.this.statuses(answer)
    def isOver: Boolean
    def close(): Unit
  }

  private final class Plain(world: World, port: Int, sends: Array[Byte]*) extends Client {
    private val caller = new SimpleClient(world.network.connect(port))(
      (bytes, n) => { received.append(new String(bytes, 0, n, "US-ASCII")); () },
      _ => ()
    )
    sends.foreach { bytes =>
      caller.send(bytes)
      world.pass(20.millis.toNanos)
    }
    def isOver: Boolean = caller.isOver
    def close(): Unit   = caller.close()
  }

  /** Sends some bytes, and then a part of one more record. */
  private final class Secured(world: World, end: Endpoint, engine: TlsEngine, first: Array[Byte], part: Int)
      extends Client {
    private val scratch = new Array[Byte](32768)
    private var left    = Array.emptyByteArray
    private var hasSent = false
    private var isGone  = false
    end.onChange = () => act()
    world.after(0)(act())

    private def act(): Unit = if (!isOver) {
      while (end.hasInput) engine.receive(scratch, end.take(scratch, 0, scratch.length))
      while (engine.hasPlain)
        received.append(new String(scratch, 0, engine.take(scratch, 0, scratch.length), "US-ASCII"))
      left ++= engine.output()
      if (engine.isSecured && !hasSent) {
        hasSent = true
        for (from <- first.indices by 16000) engine.send(first, from, math.min(16000, first.length - from))
        left ++= engine.output()
        if (part > 0) {
          engine.send(scratch, 0, 16000)
          left ++= engine.output().take(part)
        }
      }
      left = left.drop(end.put(left, 0, left.length))
    }
    def isOver: Boolean = isGone || end.isReset || end.hasEndArrived
    def close(): Unit   = if (!isGone) {
      isGone = true
      engine.close()
      end.close()
    }
  }

  private def passing(test: World => Seq[Client])(drain: => Unit): World => Unit = { world =>
    world.faults = FaultRates.none
    try {
      val clients = test(world)
      clients.foreach(_.close())
      world.pass(1.second.toNanos)
    } finally {
      drain
      world.pass(20.seconds.toNanos)
    }
    world.checkIdle()
    assertEquals(world.findings.toList, Nil)
  }

  private def serving(test: (World, Int) => Seq[Client]): Unit = {
    val world  = new World(1)
    val server = Server(routes, config).startOn(world.platform)
    passing(test(_, server.port)) { val _ = server.drain() }(world)
  }

  private def secured(test: (World, (Array[Byte], Int) => Secured) => Seq[Client]): Unit =
    if (PlatformTlsEngines.missing == null) {
      val world   = new World(1)
      val engines = new PlatformTlsEngines
      val chain   = TlsCertificate(TestKeys.file(TestKeys.one), TestKeys.file(TestKeys.key))
      val tls     = Tls.server(TlsServerConfig(Seq(chain)))
      val server  = Server(routes, config.copy(tls = Some(tls))).startOn(world.platform)

      def client(first: Array[Byte], part: Int): Secured = {
        val end    = world.network.connect(server.port)
        val engine = engines.client("localhost", isOld = false, null)
        val client = new Secured(world, end, engine, first, part)
        world.pass(100.millis.toNanos)
        client
      }
      try passing(test(_, client)) { val _ = server.drain() }(world)
      finally engines.close()
    }

  private def seconds(world: World, n: Int): Unit = world.pass(n.seconds.toNanos)

  test("content that nobody reads of requests whose replies are streams, which go on without it") {
    serving { (world, port) =>
      val idle = Seq.fill(20)(new Plain(world, port, bytes(get("events", length(16000)), 16000)))
      seconds(world, 1)
      val refused = new Plain(world, port, bytes(post(60000), 30000), new Array[Byte](30000))
      assertEquals(refused.statuses, List("503"), "the memory is short")
      seconds(world, 6) // they have 5 s from the refusal
      val served = new Plain(world, port, bytes(post(60000), 30000), new Array[Byte](30000))
      seconds(world, 1) // the network may take 700 bytes at a time
      assertEquals(served.statuses, List("200"))
      // the first ones, as what has come of the last is not complete
      assert(idle.take(8).forall(_.statuses == List("200")), idle.map(_.answer))
      assert(!idle.exists(_.isOver), "the streams are not ended")
      idle ++ Seq(refused, served)
    }
  }

  test("requests that were sent ahead, behind a stream or a handler at work, which is not lost") {
    for (first <- Seq("events", "late"))
      serving { (world, port) =>
        val idle = Seq.fill(16)(new Plain(world, port, bytes(get(first) + post(60000), 50000)))
        seconds(world, 1)
        val refused = new Plain(world, port, bytes(post(60000), 30000), new Array[Byte](30000))
        assertEquals(refused.statuses, List("503"), "the memory is short")
        seconds(world, 6) // they have 5 s from the refusal
        val served = new Plain(world, port, bytes(post(40000), 20000), new Array[Byte](20000))
        seconds(world, 1) // the network may take 700 bytes at a time
        assertEquals(served.statuses, List("200"))
        seconds(world, 15) // their handlers take 20 s
        assert(idle.forall(_.statuses.head == "200"), idle.map(_.answer))
        if (first == "late") assert(idle.exists(_.statuses == List("200", "503")), idle.map(_.answer))
        idle ++ Seq(refused, served)
      }
  }

  test("none of that is lost while memory is not short, however long it takes") {
    serving { (world, port) =>
      val late   = new Plain(world, port, bytes(get("late") + post(60000), 50000))
      val events = new Plain(world, port, bytes(get("events", length(10000)), 10000))
      val unread = new Plain(world, port, bytes(get("unread", length(10000)), 10000))
      seconds(world, 30)
      assertEquals(late.statuses, List("200"))
      assertEquals(events.statuses ++ unread.statuses, List("200", "200"))
      assert(!Seq(late, events, unread).exists(_.isOver))
      Seq(late, events, unread)
    }
  }

  test("content that a handler at work may still read stays, though memory is short") {
    serving { (world, port) =>
      val idle = Seq.fill(20)(new Plain(world, port, bytes(get("unread", length(16000)), 16000)))
      seconds(world, 14)
      val refused = new Plain(world, port, bytes(post(60000), 30000), new Array[Byte](30000))
      assertEquals(refused.statuses, List("503"))
      seconds(world, 18) // the handlers have answered, and have not read it
      val served = new Plain(world, port, bytes(post(60000), 30000), new Array[Byte](30000))
      assertEquals(served.statuses, List("200"))
      // the first ones, as what has come of the last is not complete
      assert(idle.take(8).forall(_.statuses == List("200")), idle.map(_.answer))
      idle ++ Seq(refused, served)
    }
  }

  private val upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

  test("messages that the listener of a WebSocket has not asked for, whether or not as many wait as may") {
    for ((count, size) <- Seq(12 -> 16000, 3 -> 60000, 2 -> 80000))
      serving { (world, port) =>
        val frames  = new Frames(world.random, isClient = true)
        val message = frames(0x82, new Array[Byte](size))
        val idle    = Seq.fill(count)(new Plain(world, port, bytes(get("rests", upgrade)), message))
        seconds(world, 1)
        val refused = new Plain(world, port, bytes(post(60000), 30000), new Array[Byte](30000))
        assertEquals(refused.statuses, List("503"), "the memory is short")
        seconds(world, 3)
        assert(!idle.exists(_.isOver), s"messages of $size bytes: they have 5 s from the refusal")
        seconds(world, 3)
        val served = new Plain(world, port, bytes(post(60000), 30000), new Array[Byte](30000))
        seconds(world, 1) // the network may take 700 bytes at a time
        assertEquals(served.statuses, List("200"))
        assert(idle.exists(_.answer.endsWith("memory is short")), idle.map(_.answer))
        idle ++ Seq(refused, served)
      }
  }

  /** Sends some bytes, and reads 400 every 20 ms. */
  private final class Slow(world: World, port: Int, sends: Array[Byte]*) extends Client {
    private val end = Iterator.continually(world.network.connect(port)).map { end =>
      if (end.capacity != 4096) end.close()
      end
    }.find(_.capacity == 4096).get
    private val scratch = new Array[Byte](400)
    private var isGone  = false
    private var left    = Array.emptyByteArray
    act()
    sends.foreach { bytes =>
      left ++= bytes
      world.pass(20.millis.toNanos)
    }

    private def act(): Unit = if (!isOver) {
      left = left.drop(end.put(left, 0, left.length))
      val n = end.take(scratch, 0, scratch.length)
      if (n > 0) received.append(new String(scratch, 0, n, "US-ASCII"))
      world.after(20.millis.toNanos)(act())
    }
    def isReset: Boolean = end.isReset
    def isOver: Boolean  = isGone || end.isReset || end.hasEnd
    def close(): Unit    = if (!isGone) {
      isGone = true
      end.close()
    }
  }

  test(
    "messages that the listener of a WebSocket has not asked for, whose peer reads what it sends meanwhile"
  ) {
    serving { (world, port) =>
      val frames  = new Frames(world.random, isClient = true)
      val message = frames(0x82, new Array[Byte](50000))
      val idle    = Seq.fill(3)(new Slow(world, port, bytes(get("feeds", upgrade)), message))
      seconds(world, 3) // they send their messages in pieces, too
      val refused = new Plain(world, port, bytes(post(60000), 30000), new Array[Byte](30000))
      assertEquals(refused.statuses, List("503"), "the memory is short")
      seconds(world, 9)
      val served = new Plain(world, port, bytes(post(60000), 30000), new Array[Byte](30000))
      seconds(world, 1) // the network may take 700 bytes at a time
      assertEquals(served.statuses, List("200"))
      assertEquals(idle.count(_.isReset), 0)
      assert(idle.exists(_.answer.endsWith("memory is short")), idle.map(_.answer.takeRight(20)))
      idle ++ Seq(refused, served)
    }
  }

  test("parts of TLS records behind a stream, and of a WebSocket that is silent") {
    for (request <- Seq(get("events"), get("socket", upgrade)))
      secured { (world, client) =>
        val idle = Seq.fill(24)(client(bytes(request), 15000))
        seconds(world, 8)
        val served = client(bytes(post(60000), 60000), 0)
        seconds(world, 1)
        assertEquals(served.statuses, List("200"))
        assert(idle.count(_.isOver) >= 10, "half is free again")
        idle :+ served
      }
  }

  test("parts of TLS records behind handlers at work, which are ended only where memory is full") {
    secured { (world, client) =>
      val few = Seq.fill(12)(client(bytes(get("late")), 15000))
      seconds(world, 22)
      assertEquals(few.map(_.statuses).toSet, Set(List("200")))
      few
    }
    secured { (world, client) =>
      val many = Seq.fill(24)(client(bytes(get("late")), 15000))
      seconds(world, 7)
      val ended = many.count(_.isOver)
      assert(many.size - ended <= budget / 15000 && ended <= 12, s"$ended are over")
      many
    }
  }

  private object Lines extends Codec[Boolean, String] {
    def decoder(): Decoder[Boolean] = (bytes, from, until) =>
      if (from == until) Decoded.More
      else {
        val end = bytes.indexOf('\n'.toByte, from)
        if (end < 0 || end >= until) Decoded.More else Decoded.Message(bytes(from) == 'l', end + 1)
      }
    def encode(answer: String): Array[Byte] = Service.ascii(answer)
  }

  test("messages of a codec that were sent ahead, behind one whose answer is awaited, which is not lost") {
    val world  = new World(1)
    val server = Server.withCodec(Lines, config)(_ =>
      isLate => if (isLate) Async.sleep(30.seconds).flatMap(_ => Answer("late")) else Answer("ok")
    ).startOn(world.platform)
    passing { world =>
      val idle = Seq.fill(3)(new Plain(world, server.port, bytes("late\nsoon"), new Array[Byte](60000)))
      seconds(world, 1)
      val refused = new Plain(world, server.port, bytes("soon", 20000), bytes("", 10000), bytes("\n"))
      seconds(world, 1)
      assertEquals(refused.answer, "", "the memory is short")
      seconds(world, 5) // they have 5 s from the refusal
      val served = new Plain(world, server.port, bytes("soon", 20000), bytes("", 10000), bytes("\n"))
      seconds(world, 5)
      assertEquals(served.answer, "ok", idle.map(_.answer))
      seconds(world, 21) // their answers take 30 s
      assert(idle.forall(_.answer.startsWith("late")), idle.map(_.answer))
      idle ++ Seq(refused, served)
    } { val _ = server.drain() }(world)
  }
}
