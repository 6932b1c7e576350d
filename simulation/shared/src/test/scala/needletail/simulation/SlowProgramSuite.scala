package needletail.simulation

import scala.concurrent.duration._

import needletail.gateway.host._
import needletail.io.Address
import needletail.routing.Routes
import needletail.server._
import needletail.simulation.peer.SimpleClient
import needletail.simulation.peer.gateway.FastCgiRecords
import needletail.simulation.service.Service
import needletail.simulation.world.{Endpoint, FaultRates, World}
import needletail.testing.Suite

/** Programs behind our server that read a large request slowly, in virtual time. */
class SlowProgramSuite extends Suite {
  private final val Size = 1 << 20

  /** A FastCGI or SCGI server that answers when it has read `Size` bytes. */
  private final class Program(end: Endpoint, answer: Seq[Array[Byte]]) {
    private val scratch  = new Array[Byte](65536)
    private var count    = 0L
    private var isDone   = false
    var isEager: Boolean = false
    end.onChange = () => if (isEager) read(Int.MaxValue)

    def read(most: Int): Unit = {
      var left = most
      var n    = end.take(scratch, 0, Math.min(left, scratch.length))
      while (n > 0) {
        count += n
        left -= n
        n = if (left > 0) end.take(scratch, 0, Math.min(left, scratch.length)) else 0
      }
      if (count >= Size && !isDone) {
        isDone = true
        answer.foreach(bytes => end.put(bytes, 0, bytes.length))
        if (answer.size == 1) end.close()
      }
    }
  }

  private val config = UpstreamConfig(host = ProgramHostConfig(timeout = 2.seconds, log = Log.none))
  private val head   = Service.ascii("Status: 200 OK\r\n\r\n")

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
      pause: FiniteDuration
  ): String = {
    var program: Program = null
    val port             = world.network.listen(0, end => program = new Program(end, answer))
    val config           = ServerConfig(
      loops = 1,
      handlerTimeout = 1.minute,
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
    for (_ <- 1 to (slowFor / 20.millis).toInt) {
      world.pass(20.millis.toNanos)
      program.read(400)
    }
    world.pass(pause.toNanos)
    program.isEager = true
    program.read(Int.MaxValue)
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
      ) {
        val world = new World(seed)
        world.faults = FaultRates.none
        assertEquals(uploaded(world, routes, answer, slowFor, pause), status, s"seed $seed, $slowFor")
        assertEquals(world.findings.toList, Nil)
      }
    }
}
