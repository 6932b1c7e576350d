package needletail.simulation

import java.nio.charset.StandardCharsets.US_ASCII

import scala.collection.mutable.ArrayBuffer
import scala.concurrent.duration._
import scala.util.{Success, Try}

import needletail.async.{Async, AsyncPromise}
import needletail.client.{Client, ClientError}
import needletail.client.config.ClientConfig
import needletail.http.ByteStream
import needletail.io.EventLoops
import needletail.routing._
import needletail.server._
import needletail.server.tcp.TcpServer
import needletail.simulation.peer.SimpleClient
import needletail.simulation.world.{Endpoint, World}
import needletail.stream.Push
import needletail.tcp.{Codec, Decoded, Decoder}
import needletail.testing.Suite
import needletail.websocket._
import needletail.websocket.handshake.Handshake

/** Peers that send or read slowly, or stop: which time limit they have, in virtual time. */
class SlowPeersSuite extends Suite with QuietWorlds {

  /** Numbers, each ended by a semicolon. */
  private object Numbers extends Codec[Int, Int] {
    def decoder(): Decoder[Int] = (bytes, from, until) => {
      val end = bytes.indexOf(';'.toByte, from)
      if (end < 0 || end >= until) Decoded.More
      else Decoded.Message(new String(bytes, from, end - from, US_ASCII).toInt, end + 1)
    }
    def encode(answer: Int): Array[Byte] = s"$answer;".getBytes(US_ASCII)
  }

  test(
    "a message to a codec's server that does not go on, or that drips, ends its connection; a steady one does not"
  ) {
    inWorld() { world =>
      val config = ServerConfig(
        loops = 1,
        bodyTimeout = 1.second,
        bodyGrace = 500.millis,
        minBodyRate = 200,
        blockedLoop = Duration.Zero,
        log = Log.none
      )
      val server = TcpServer.serveOn(world.platform, Numbers, config)(_ => n => Answer(2 * n))
      final class Caller {
        val text           = new StringBuilder
        private val client = new SimpleClient(world.network.connect(server.port))(
          (bytes, n) => { text.append(new String(bytes, 0, n, US_ASCII)); () },
          _ => ()
        )
        def isOver: Boolean                                = client.isOver
        def send(what: String, wait: FiniteDuration): Unit = {
          client.send(what.getBytes(US_ASCII))
          world.pass(wait.toNanos)
        }
      }
      val silent = new Caller
      silent.send("1;2", 950.millis)
      assertEquals((silent.text.toString, silent.isOver), ("2;", false))
      world.pass(100.millis.toNanos)
      assertEquals((silent.text.toString, silent.isOver), ("2;", true))
      val drips = new Caller
      for (_ <- 1 to 9) drips.send("1", 50.millis)
      assert(!drips.isOver)
      for (_ <- 1 to 3) drips.send("1", 50.millis)
      assert(drips.isOver, "a connection was held by a byte in 50 ms")
      val steady = new Caller
      for (n <- 1 to 20) steady.send(s"$n;1", 100.millis)
      val expected = (1 to 20).map(n => s"${2 * (if (n == 1) 1 else s"1$n".toInt)};").mkString
      assertEquals((steady.text.toString, steady.isOver), (expected, false))
      val statistics = server.statistics
      world.pass(100.millis.toNanos)
      assertEquals(statistics.value.get.get.timeouts, 2L)
      val _ = server.close()
      world.pass(5.seconds.toNanos)
    }
  }

  test("what a codec's server sends by itself keeps an idle connection, for as long again") {
    inWorld() { world =>
      val config =
        ServerConfig(loops = 1, idleTimeout = 3.seconds, blockedLoop = Duration.Zero, log = Log.none)
      var taken: MessageConnection[Int] = null
      val server                        = TcpServer.serveOn(world.platform, Numbers, config) { connection =>
        taken = connection
        n => Answer(n)
      }
      val text   = new StringBuilder
      val client = new SimpleClient(world.network.connect(server.port))(
        (bytes, n) => { text.append(new String(bytes, 0, n, US_ASCII)); () },
        _ => ()
      )
      world.pass(100.millis.toNanos)
      for (n <- 1 to 10) {
        assert(taken.send(n), s"it was closed after $n messages")
        world.pass(2.seconds.toNanos)
      }
      assertEquals(text.toString, (1 to 10).map(n => s"$n;").mkString)
      world.pass(950.millis.toNanos)
      assert(!client.isOver)
      world.pass(100.millis.toNanos)
      assert(client.isOver)
      val _ = server.close()
      world.pass(5.seconds.toNanos)
    }
  }

  /** A server without a loop. `heard` is called with all that has come, whenever more has. */
  private final class Peer(end: Endpoint)(heard: (Peer, String) => Unit)
      extends SlowReader(end, isEager = true) {
    private val text = new StringBuilder

    protected def took(bytes: Array[Byte], n: Int): Unit =
      if (text.length < 10000) { text.append(new String(bytes, 0, n, US_ASCII)); () }
    protected def hasRead(): Unit = heard(this, text.toString)

    def send(what: String): Unit = {
      val bytes = what.getBytes(US_ASCII)
      assertEquals(end.put(bytes, 0, bytes.length), bytes.length)
    }
  }

  test("the end of a request's body does not shorten the time for a response that streams already") {
    inWorld() { world =>
      var isAsked = false
      val port    = world.network.listen(
        0,
        end => {
          val _ = new Peer(end)((peer, text) =>
            if (!isAsked && text.contains("some")) {
              isAsked = true
              peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no")
              world.after(3.seconds.toNanos)(peer.send("k"))
            }
          )
        }
      )
      val loops  = new EventLoops(1, "client", platform = world.platform)
      val client = Client(ClientConfig(requestTimeout = 1.second, bodyTimeout = 60.seconds), loops)
      val got    = ArrayBuffer.empty[Try[String]]
      loops(0).execute { () =>
        val rest = new AsyncPromise[Option[Array[Byte]]]
        val text = for {
          response <- client.post(s"http://127.0.0.1:$port/").body(new Held(rest)).stream
          first    <- response.body.next()
          second = response.body.next()
          _      = rest.succeed(None)
          last <- second
        } yield (first.toList ++ last).flatten.map(_.toChar).mkString
        text.onComplete(result => { got += result; () })
      }
      world.run(30.seconds.toNanos)(got.nonEmpty)
      assertEquals(got.toList.map(_.get), List("ok"))
      client.close()
      loops.stop()
      world.pass(5.seconds.toNanos)
    }
  }

  /** The status, or the failure, of a request with that content to a server that reads 400 bytes every 20 ms, then the rest. */
  private def uploaded(
      world: World,
      content: => ByteStream,
      slowFor: FiniteDuration,
      pause: FiniteDuration
  ): Try[Int] = {
    var peer: Peer = null
    var isSlow     = false
    var isAnswered = false
    val port       = world.network.listen(
      0,
      end =>
        peer = new Peer(end)((peer, text) => {
          if (!isSlow && text.contains("\r\n\r\n")) {
            isSlow = true
            peer.isEager = false
          }
          if (!isAnswered && peer.count >= Size) {
            isAnswered = true
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
          }
        })
    )
    val loops  = new EventLoops(1, "client", platform = world.platform)
    val client = Client(ClientConfig(requestTimeout = 2.seconds, bodyTimeout = 2.seconds), loops)
    val got    = ArrayBuffer.empty[Try[Int]]
    loops(0).execute { () =>
      client.post(s"http://127.0.0.1:$port/").body(content, Size.toLong).response
        .map(_.status.code).onComplete { result => got += result; () }
    }
    world.run(5.seconds.toNanos)(isSlow)
    peer.readSlowly(world, slowFor, pause)
    world.run(30.seconds.toNanos)(got.nonEmpty)
    client.close()
    loops.stop()
    world.pass(5.seconds.toNanos)
    got.head
  }

  test("a request's streamed body is sent as long as the server reads it, and not longer") {
    for (seed <- 1L to 5L; pieces <- Seq(1, 16)) {
      def content = ByteStream.fromIterator(Iterator.fill(pieces)(new Array[Byte](Size / pieces)))
      inWorld(seed)(world => assertEquals(uploaded(world, content, 7.seconds, 0.seconds), Success(200), seed))
      inWorld(seed) { world =>
        val stopped = uploaded(world, content, 1.second, 6.seconds)
        assert(stopped.failed.get.isInstanceOf[ClientError.TimedOut], stopped)
      }
    }
  }

  test("a request whose streamed body does not begin has the time of a pause, once") {
    inWorld() { world =>
      val port   = world.network.listen(0, end => { val _ = new Peer(end)((_, _) => ()) })
      val loops  = new EventLoops(1, "client", platform = world.platform)
      val client = Client(ClientConfig(bodyTimeout = 2.seconds), loops)
      val got    = ArrayBuffer.empty[Try[Any]]
      loops(0).execute { () =>
        client.post(s"http://127.0.0.1:$port/").body(new Push[Array[Byte]](1).stream).response
          .onComplete { result => got += result; () }
      }
      world.run(3.seconds.toNanos)(got.nonEmpty)
      assert(got.headOption.exists(_.failed.get.isInstanceOf[ClientError.TimedOut]), got)
      client.close()
      loops.stop()
      world.pass(5.seconds.toNanos)
    }
  }

  /** Content of one piece, and an end that is given later. */
  private final class Held(end: Async[Option[Array[Byte]]]) extends ByteStream {
    private var hasSent                    = false
    def next(): Async[Option[Array[Byte]]] =
      if (hasSent) end
      else {
        hasSent = true
        Async.value(Some("some".getBytes))
      }
    def cancel(): Unit = ()
  }

  private final val Size = 1 << 20

  /** What a server gets that opens a WebSocket and reads a little at a time for so long, nothing for 6 s, and the rest. */
  private def received(world: World, timeout: FiniteDuration, slowFor: FiniteDuration, pause: FiniteDuration)(
      sends: WebSocket => Unit
  ): Long = {
    var peer: Peer = null
    var isAnswered = false
    val port       = world.network.listen(
      0,
      end =>
        peer = new Peer(end)((peer, text) =>
          if (!isAnswered && text.contains("\r\n\r\n")) {
            isAnswered = true
            peer.isEager = false
            val key = text.linesIterator.find(_.startsWith("Sec-WebSocket-Key: ")).get.drop(19)
            peer.send(
              "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
                s"Sec-WebSocket-Accept: ${Handshake.acceptOf(key)}\r\n\r\n"
            )
          }
        )
    )
    val config = WebSocketConfig(
      maxPendingOutput = 2 * Size,
      pingInterval = Duration.Zero,
      closeTimeout = 300.millis
    )
    val loops  = new EventLoops(1, "client", platform = world.platform)
    val client = WebSocketClient(
      WebSocketClientConfig(webSocket = config, writeTimeout = timeout),
      loops,
      bytes => java.util.Arrays.fill(bytes, 7.toByte)
    )
    loops(0).execute { () =>
      client.connect(s"ws://127.0.0.1:$port/") { socket =>
        for (_ <- 1 to 16) socket.send(new Array[Byte](Size / 16))
        sends(socket)
        _ => ()
      }.onComplete(_ => ())
    }
    world.run(5.seconds.toNanos)(isAnswered)
    peer.readSlowly(world, slowFor, pause)
    world.run(60.seconds.toNanos)(peer.count >= Size)
    client.close()
    loops.stop()
    world.pass(5.seconds.toNanos)
    peer.count
  }

  test("a server that reads slowly what a WebSocket sends gets everything, however long it takes") {
    for (seed <- 1L to 10L)
      inWorld(seed)(world =>
        assert(received(world, 2.seconds, 4500.millis, 0.seconds)(_ => ()) >= Size, seed)
      )
  }

  test("a server that stops reading is cut off, also while the WebSocket closes") {
    for (seed <- 1L to 10L)
      inWorld(seed) { world =>
        val got = received(
          world,
          1.second,
          1300.millis,
          6.seconds
        )(_.close()) // it has read when that is first checked
        assert(got < Size, s"$got, seed $seed")
      }
  }

  /** How long a client is served that reads `rate` bytes of a MiB a second, where the kernel takes 64 KiB at once. */
  private def servedFor(world: World, rate: Int, seconds: Int): Int = {
    val config = ServerConfig(loops = 1, blockedLoop = Duration.Zero, log = Log.none)
    val server = Server(Routes(GET / "page" to Response.ok.bytes(new Array[Byte](Size))), config)
      .startOn(world.platform)
    val end = world.network.connect(server.port)
    end.step = Math.min(65536, end.capacity)
    val request = "GET /page HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII)
    end.put(request, 0, request.length)
    val bytes  = new Array[Byte](Math.max(rate, 1))
    var served = 0
    while (served < seconds && !end.isReset) {
      world.pass(1.second.toNanos)
      end.take(bytes, 0, rate)
      served += 1
    }
    end.abort()
    val _ = server.close()
    world.pass(5.seconds.toNanos)
    served
  }

  test("fault 8: a client that reads 1 kB a second is never reset, where the kernel says what it has read") {
    for (seed <- 1L to 10L; tells <- Seq(true, false))
      inWorld(seed) { world =>
        world.network.tellsUnacknowledged = tells
        assertEquals(servedFor(world, rate = 4000, seconds = 600), 600, seed)
      }
    for (seed <- 1L to 10L) {
      inWorld(seed) { world =>
        world.network.tellsUnacknowledged = true
        assertEquals(servedFor(world, rate = 1000, seconds = 600), 600, seed)
      }
      inWorld(seed) { world =>
        world.network.tellsUnacknowledged = true
        val served = servedFor(world, rate = 0, seconds = 600)
        assert(served >= 29 && served <= 32, s"one that reads nothing was served for $served s, seed $seed")
      }
    }
  }

  test("a drain waits closeTimeout, and no longer, for WebSockets whose peers read nothing") {
    for (seed <- 1L to 10L)
      inWorld(seed) { world =>
        val routes = Routes(GET / "flood" to webSocket { socket =>
          socket.send(new Array[Byte](Size))
          _ => ()
        })
        val config = ServerConfig(loops = 1, blockedLoop = Duration.Zero, log = Log.none)
        val server = Server(routes, config).startOn(world.platform)
        val deaf   = List.fill(3)(world.network.connect(server.port))
        for (end <- deaf) {
          val request = "GET /flood HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
          end.put(request.getBytes(US_ASCII), 0, request.length)
        }
        world.pass(1.second.toNanos)
        val stopped = server.drain()
        world.pass(4900.millis.toNanos)
        assert(!stopped.isCompleted, seed)
        world.pass(300.millis.toNanos)
        assert(stopped.isCompleted, seed)
        assert(deaf.forall(_.isReset), seed)
      }
  }
}
