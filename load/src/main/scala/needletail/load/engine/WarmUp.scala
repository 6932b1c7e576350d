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

  /** Both models, in the one half of the time each. */
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
        case Address.Tcp(_, port) => plans(s"http://127.0.0.1:$port/", time / 2).foreach(run)
        case _                    => ()
      }
      listener.close()
    } finally {
      loops.stop()
      Await.ready(loops.stopped, 5.seconds)
      ()
    }
  }

  private def plans(url: String, time: FiniteDuration): Vector[LoadPlan] = {
    val users    = Load.Closed(8, None, Some(time))
    val arrivals = Load.Open(Vector(Load.Step(2000, 2000, time)), connections = 64)
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

  private val answer =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!".getBytes(
      US_ASCII
    )
}
