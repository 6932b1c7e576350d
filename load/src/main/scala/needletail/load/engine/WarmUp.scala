package needletail.load.engine

import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.atomic.AtomicBoolean

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.io._
import needletail.load.plan._

/**
 * A virtual machine is slow at first: it loads classes and compiles what is used. What it makes of the first requests
 * is not the server's doing, so this has it done before, once in a process, on a server of its own that answers without
 * looking: the server to be measured is not asked a thing.
 */
private[engine] object WarmUp {
  private val isDone = new AtomicBoolean

  /** How long what stands for a second is: ends of seconds are to be warm as well. */
  final val IntervalNanos = 50L * 1000 * 1000

  private final val Rounds = 2

  /** Both models, in the one half of the time each, and as long again at most for the compiler. */
  def once(time: FiniteDuration, run: LoadPlan => Unit): Unit = if (isDone.compareAndSet(false, true)) {
    val loops = new EventLoops(1, "needletail-load-warm-up", daemon = true)
    try {
      val listener = Listener.bind(
        Address.Tcp("127.0.0.1", 0),
        loops(0),
        ListenOptions(),
        _.start(loops(0), ConnectionOptions())(new Parrot(_))
      )
      listener.address match {
        case Address.Tcp(_, port) =>
          // The second time since much of what was compiled in the first is given up at its end, when code is come to
          // that had not been used before.
          for { _ <- 1 to Rounds; plan <- plans(s"http://127.0.0.1:$port/", time / (2L * Rounds)) } {
            run(plan)
            rest(time / 2)
          }
        case _ => ()
      }
      listener.close()
    } finally {
      loops.stop()
      Await.ready(loops.stopped, 5.seconds)
      ()
    }
  }

  /**
   * Until the compiler has done what that left it to do, which on one core takes longer than the load itself: nothing
   * else uses the processor meanwhile.
   */
  private def rest(atMost: FiniteDuration): Unit = {
    val until = System.nanoTime() + atMost.toNanos
    var idle  = false
    while (!idle && System.nanoTime() < until) {
      val (cpu, at) = (SelfProbe.processTime, System.nanoTime())
      Thread.sleep(RestMillis)
      idle = (SelfProbe.processTime - cpu).toDouble / (System.nanoTime() - at) < Idle
    }
  }

  private def plans(url: String, time: FiniteDuration): Vector[LoadPlan] = {
    val users    = Load.Closed(8, None, Some(time))
    val arrivals = Load.Open(Vector(Load.Step(20000, 20000, time)), connections = 64)
    val kinds    = Vector(Kind("warm-up", Vector(RequestTemplate("GET", url))))
    Vector(users, arrivals).map(load => LoadPlan("warm-up", kinds, load, timeout = 1.second))
  }

  /** Answers whatever ends a head. */
  private final class Parrot(connection: Connection) extends ConnectionHandler {
    def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
      if (until - from >= 4 && bytes(until - 1) == '\n' && bytes(until - 3) == '\n')
        connection.write(answer, 0, answer.length)
      until
    }
    def onEnd(): Unit                    = connection.close()
    def onDrained(): Unit                = ()
    def onDeadline(): Unit               = ()
    def onClosed(cause: Throwable): Unit = ()
  }

  private final val RestMillis = 40L

  /** The share of a core that a process takes in which nothing happens, and a little more. */
  private final val Idle = 0.05

  private val answer =
    ("HTTP/1.1 200 OK\r\nServer: needletail\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: text/plain\r\n" +
      "Connection: keep-alive\r\nContent-Length: 13\r\n\r\nHello, World!").getBytes(US_ASCII)
}
