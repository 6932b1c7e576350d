package needletail.simulation

import scala.concurrent.duration._

import needletail.gateway.host._
import needletail.io.Address
import needletail.routing.Routes
import needletail.server._
import needletail.simulation.peer.SimpleClient
import needletail.simulation.peer.gateway.FastCgiRecords
import needletail.simulation.service.Service
import needletail.simulation.world.{Endpoint, World}
import needletail.testing.Suite

/** Programs behind our server that read a large request slowly, in virtual time. */
class SlowProgramSuite extends Suite with QuietWorlds {
  private final val Size = 1 << 20

  /**
   * A FastCGI or SCGI server that answers when it has read `Size` bytes. One that closes the connection after its answer
   * (SCGI) has read the whole request before: what is unread resets it.
   */
  private final class Program(end: Endpoint, answer: Seq[Array[Byte]])
      extends SlowReader(end, isEager = false) {
    private var wanted = -1L
    private var isDone = false

    protected def took(bytes: Array[Byte], n: Int): Unit = if (wanted < 0) {
      wanted = Size
      if (answer.size == 1) { // its variables, as a netstring
        val length = new String(bytes, 0, n, "US-ASCII").takeWhile(_ != ':')
        wanted += length.length + length.toInt + 2
      }
    }

    protected def hasRead(): Unit = if (wanted >= 0 && count >= wanted && !isDone) {
      isDone = true
      answer.foreach(bytes => end.put(bytes, 0, bytes.length))
      if (answer.size == 1) end.close()
    }
  }

  // content is passed on as it arrives: files are written by threads, which know no virtual time
  private val config =
    UpstreamConfig(host = ProgramHostConfig(timeout = 2.seconds, bufferRequests = false, log = Log.none))
  private val head = Service.ascii("Status: 200 OK\r\n\r\n")

  private val kinds = Seq[(String, Address => Routes, Seq[Array[Byte]])](
    (
      "FastCGI",
      fastcgi("/app", _, config),
      Seq(
        FastCgiRecords.record(6, 1, head),
        FastCgiRecords.end(6, 1),
        FastCgiRecords.record(3, 1, new Array[Byte](8))
      )
    ),
    ("SCGI", scgi("/app", _, config), Seq(head))
  )

  /** The status of an upload to a program that reads 400 bytes every 20 ms, then nothing for `pause`, and then the rest. */
  private def uploaded(
      world: World,
      routes: Address => Routes,
      answer: Seq[Array[Byte]],
      slowFor: FiniteDuration,
      pause: FiniteDuration,
      handlerTimeout: FiniteDuration = 1.minute
  ): String = {
    var program: Program = null
    val port             = world.network.listen(0, end => program = new Program(end, answer))
    val config           = ServerConfig(
      loops = 1,
      handlerTimeout = handlerTimeout,
      overload = OverloadConfig.off,
      blockedLoop = Duration.Zero,
      log = Log.none
    )
    val server = Server(routes(Address.Tcp("127.0.0.1", port)), config).startOn(world.platform)
    val got    = new StringBuilder
    val client = new SimpleClient(world.network.connect(server.port))(
      (bytes, n) => { got.append(new String(bytes, 0, n, "US-ASCII")); () },
      _ => ()
    )
    client.send(Service.ascii(s"POST /app HTTP/1.1\r\nHost: a\r\nContent-Length: $Size\r\n\r\n"))
    client.send(new Array[Byte](Size))
    world.run(5.seconds.toNanos)(program != null)
    program.readSlowly(world, slowFor, pause)
    world.run(30.seconds.toNanos)(got.nonEmpty)
    client.close()
    val _ = server.close()
    world.pass(20.seconds.toNanos)
    got.toString.slice(9, 12)
  }

  for ((name, routes, answer) <- kinds)
    test(s"$name: a program that reads slowly has time as long as it reads, and not longer") {
      for (
        seed                     <- 1L to 3L;
        (slowFor, pause, status) <- Seq((7.seconds, 0.seconds, "200"), (1.second, 5.seconds, "504"))
      )
        inWorld(seed) { world =>
          assertEquals(uploaded(world, routes, answer, slowFor, pause), status, s"seed $seed, $slowFor")
        }
    }

  for ((name, routes, _) <- kinds)
    test(
      s"$name: a program that has read its request and hangs has its time from then on, and gets 504 before a 503"
    ) {
      for (seed <- 1L to 3L)
        inWorld(seed) { world =>
          val got =
            uploaded(
              world,
              routes,
              answer = Nil,
              slowFor = 100.millis,
              pause = 0.seconds,
              handlerTimeout = 3.seconds
            )
          assertEquals(got, "504", s"seed $seed")
        }
    }

  /**
   * A FastCGI server that takes several requests at once. Answers the first with a MiB and others with a few bytes; or,
   * with `bursts`, the first with more than may wait for a client whenever it is told to, and others never.
   */
  private final class Multiplexing(end: Endpoint, bursts: Boolean = false) {
    private val scratch = new Array[Byte](65536)
    private var in      = Array.emptyByteArray
    private var out     = Array.emptyByteArray
    var begun: Int      = 0
    end.onChange = () => {
      var n = end.take(scratch, 0, scratch.length)
      while (n > 0) {
        in ++= scratch.take(n)
        n = end.take(scratch, 0, scratch.length)
      }
      while (in.length >= 8 && in.length >= 8 + length + in(6)) {
        if (in(1) == 9)
          out ++= FastCgiRecords.record(10, 0, FastCgiRecords.pairs(Seq("FCGI_MPXS_CONNS" -> "1")))
        if (in(1) == 5 && length == 0) answer(in(3).toInt)
        in = in.drop(8 + length + in(6))
      }
      flush()
    }

    private def flush(): Unit = out = out.drop(end.put(out, 0, out.length))

    val burstSize: Int = 10 * 32768

    def burst(): Unit = {
      for (_ <- 1 to burstSize / 32768) out ++= FastCgiRecords.record(6, 1, new Array[Byte](32768))
      flush()
    }

    private def length: Int = (in(4) & 0xff) << 8 | in(5) & 0xff

    private def answer(id: Int): Unit = {
      begun += 1
      if (bursts) { if (begun == 1) out ++= FastCgiRecords.record(6, id, head) }
      else whole(id)
    }

    private def whole(id: Int): Unit = {
      out ++= FastCgiRecords.record(6, id, head)
      val pieces = if (begun == 1) 32 else 1
      for (_ <- 1 to pieces) out ++= FastCgiRecords.record(6, id, new Array[Byte](32768))
      out ++= FastCgiRecords.end(6, id) ++ FastCgiRecords.record(3, id, new Array[Byte](8))
    }
  }

  test(
    "FastCGI: a client that does not read its response costs no other request of the connection its time"
  ) {
    inWorld() { world =>
      var program: Multiplexing = null
      val port                  = world.network.listen(0, end => program = new Multiplexing(end))
      val routes                =
        fastcgi("/app", Address.Tcp("127.0.0.1", port), config.copy(connections = 1, multiplex = 4))
      val server = Server(
        routes,
        ServerConfig(loops = 1, overload = OverloadConfig.off, blockedLoop = Duration.Zero, log = Log.none)
      ).startOn(world.platform)
      val got                    = new StringBuilder
      def client(reads: Boolean) = {
        val one = new SimpleClient(world.network.connect(server.port), reads)(
          (bytes, n) => { got.append(new String(bytes, 0, n, "US-ASCII")); () },
          _ => ()
        )
        one.send(Service.ascii("GET /app/x HTTP/1.1\r\nHost: a\r\n\r\n"))
        one
      }
      val deaf = client(reads = false)
      world.pass(1.second.toNanos)
      val other = client(reads = true)
      world.pass(10.seconds.toNanos) // five times what a program may do nothing
      assertEquals((program.begun, got.toString), (2, ""))
      deaf.close()
      world.run(20.seconds.toNanos)(got.nonEmpty) // how long the rest takes depends on the network
      assertEquals(got.toString.slice(9, 12), "200")
      other.close()
      val _ = server.close()
      world.pass(20.seconds.toNanos)
    }
  }

  /** A client that reads what comes as long as it is told to. */
  private final class Pausing(end: Endpoint) {
    private val scratch = new Array[Byte](65536)
    private var reads   = false
    var count           = 0
    end.onChange = () => act()

    def send(text: String): Unit = { end.put(Service.ascii(text), 0, text.length); () }
    def close(): Unit            = end.close()

    def read(all: Boolean): Unit = {
      reads = all
      act()
    }

    private def act(): Unit = if (reads) {
      var n = end.take(scratch, 0, scratch.length)
      while (n > 0) {
        count += n
        n = end.take(scratch, 0, scratch.length)
      }
    }
  }

  test(
    "FastCGI: a program that hangs has its time, to which just that does not count in which it is not heard"
  ) {
    // in most worlds the network takes so much at a time that what is sent at once has come a little later
    assert((1L to 9L).exists(seed => inWorld(seed)(hangs)))
  }

  /** Whether the network took so much at a time; otherwise nothing is tested. */
  private def hangs(world: World): Boolean = {
    var isWide                = false
    var program: Multiplexing = null
    val port                  = world.network.listen(
      0,
      end => {
        isWide = end.peer.capacity >= 4096
        program = new Multiplexing(end, bursts = true)
      }
    )
    val routes = fastcgi("/app", Address.Tcp("127.0.0.1", port), config.copy(connections = 1, multiplex = 4))
    val server = Server(
      routes,
      ServerConfig(
        loops = 1,
        handlerTimeout = 1.minute,
        maxPendingOutput = 1000,
        overload = OverloadConfig.off,
        blockedLoop = Duration.Zero,
        log = Log.none
      )
    ).startOn(world.platform)
    def connect() = Iterator.continually(world.network.connect(server.port)).map { end =>
      if (end.capacity != 4096) end.close()
      end
    }.find(_.capacity == 4096).get
    val request = "GET /app/x HTTP/1.1\r\nHost: a\r\n\r\n"
    val large   = new Pausing(connect())
    large.send(request)
    world.pass(1.second.toNanos)
    val got   = new StringBuilder
    val other = new SimpleClient(connect())(
      (bytes, n) => { got.append(new String(bytes, 0, n, "US-ASCII")); () },
      _ => ()
    )
    // it is heard for 600 ms of each second, and has two
    if (isWide) for (second <- 0 to 3) {
      program.burst()
      world.pass(200.millis.toNanos)
      if (second == 0) other.send(Service.ascii(request))
      world.pass(200.millis.toNanos)
      assertEquals(got.toString, "", s"second $second")
      large.read(all = true)
      world.pass(600.millis.toNanos)
      assert(large.count >= (second + 1) * program.burstSize, large.count)
      large.read(all = false)
    }
    if (isWide) assertEquals((program.begun, got.toString.slice(9, 12)), (2, "504"))
    large.close()
    other.close()
    val _ = server.close()
    world.pass(20.seconds.toNanos)
    isWide
  }
}
