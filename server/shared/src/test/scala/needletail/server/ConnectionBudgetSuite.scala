package needletail.server

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Await
import scala.concurrent.duration._
import scala.util.control.ControlThrowable

import needletail.async.Async
import needletail.io.{Address, EventLoop}
import needletail.testing.Suite

/** However a connection ends, or fails to begin, its place is free again. */
class ConnectionBudgetSuite extends Suite {

  /** Every octet is a message, answered by itself. */
  private object Octets extends Codec[Byte, Byte] {
    def decoder(): Decoder[Byte] = (bytes, from, until) =>
      if (from == until) Decoded.More else Decoded.Message(bytes(from), from + 1)
    def encode(answer: Byte): Array[Byte] = Array(answer)
  }

  private val config = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    loops = 2,
    maxConnections = 4,
    crowdedIdleTimeout = 1.hour, // else a crowd would make room by itself
    log = Log.none
  )

  private def quietly[A](body: => A): A = {
    val before = EventLoop.onFailure
    EventLoop.onFailure = (_, _) => ()
    try body
    finally EventLoop.onFailure = before
  }

  private def untilOpen(server: TcpServer, count: Int): Unit = {
    val limit = System.nanoTime() + 10.seconds.toNanos
    while (Await.result(server.statistics, 5.seconds).connectionsOpen != count)
      if (System.nanoTime() > limit) fail(s"not $count open: ${Await.result(server.statistics, 5.seconds)}")
  }

  private val failures: Seq[(String, () => Throwable)] = Seq(
    "an exception"             -> (() => new RuntimeException("no session")),
    "a stack overflow"         -> (() => new StackOverflowError),
    "a linkage error"          -> (() => new NoClassDefFoundError("missing")),
    "a control-flow throwable" -> (() => new ControlThrowable {}),
    "an interrupt"             -> (() => new InterruptedException)
  )

  for ((what, failure) <- failures)
    test(
      s"fault 5: a session function that fails with $what costs no place for good, and the server drains"
    ) {
      quietly {
        val left   = new AtomicInteger(12)
        val server = TcpServer.serve(Octets, config) { _ =>
          if (left.getAndDecrement() > 0) throw failure()
          b => Answer(b)
        }
        try {
          for (_ <- 1 to 12) assert(new RawClient(server.port).isEnded)
          untilOpen(server, 0)
          val client = new RawClient(server.port)
          assertEquals(client.send("x").readUntil("x"), "x")
          untilOpen(server, 1)
          client.close()
          Await.result(server.drain(), 10.seconds)
        } finally { server.close(); () }
      }
    }

  test(
    "fault 5: a server asked for more reports than it can give still drains, and forgets no connection's end"
  ) {
    val (begun, on) = (new CountDownLatch(1), new CountDownLatch(1))
    val server      = TcpServer.serve(Octets, config.copy(loops = 1)) { _ => b =>
      if (b == 'w') {
        begun.countDown()
        on.await() // as nobody should, on a loop
      }
      Answer(b)
    }
    val other  = new RawClient(server.port)
    val client = new RawClient(server.port)
    assertEquals(other.send("x").readUntil("x"), "x")
    client.send("w")
    begun.await()
    val reports = Vector.fill(20000)(server.statistics)
    other.close()
    val drained = server.drain()
    on.countDown()
    assertEquals(client.readUntil("w"), "w")
    Await.result(drained, 10.seconds)
    assert(client.isEnded)
    reports.foreach(report => Await.ready(report, 10.seconds))
    assert(reports.exists(_.value.exists(_.isSuccess)) && reports.exists(_.value.exists(_.isFailure)))
  }

  test("fault 5: a close is not refused either") {
    val (begun, on) = (new CountDownLatch(1), new CountDownLatch(1))
    val server      = TcpServer.serve(Octets, config.copy(loops = 1, drainTimeout = 1.hour)) { _ => b =>
      if (b == 'w') {
        begun.countDown()
        on.await()
      }
      Async.sleep(1.hour).flatMap(_ => Answer(b))
    }
    val client = new RawClient(server.port)
    client.send("w")
    begun.await()
    for (_ <- 1 to 20000) server.statistics
    val closed = server.close()
    on.countDown()
    Await.result(closed, 10.seconds)
    assert(client.isEnded)
  }
}
