package needletail.load.engine

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.io._
import needletail.io.platform.ListenOptions

/** A server that does what a script says, right or wrong: it is called for each request, with the number it has. */
final class Misbehaving(script: (Caller, Int) => Unit) {
  private val loops    = new EventLoops(1, "misbehaving", daemon = true)
  private val requests = new AtomicInteger
  val opened           = new AtomicInteger
  val closed           = new AtomicInteger

  private val listener = Listener.bind(
    Address.Tcp("127.0.0.1", 0),
    loops(0),
    ListenOptions(),
    _.start(loops(0), ConnectionOptions()) { connection =>
      opened.incrementAndGet()
      new Caller(
        connection,
        c => script(c, requests.incrementAndGet()),
        () => { closed.incrementAndGet(); () }
      )
    }
  )

  def url: String = listener.address match {
    case Address.Tcp(_, port) => s"http://127.0.0.1:$port/"
    case other                => throw new IllegalStateException(other.toString)
  }

  def close(): Unit = {
    listener.close()
    loops.stop()
    Await.ready(loops.stopped, 20.seconds)
    ()
  }
}

/** One connection of such a server, to be used on its loop. */
final class Caller(val connection: Connection, script: Caller => Unit, gone: () => Unit)
    extends ConnectionHandler {

  /** Requests that came on it. */
  var served = 0

  def send(text: String): Unit = {
    val bytes = text.getBytes(ISO_8859_1)
    connection.write(bytes, 0, bytes.length)
  }

  def answer(): Unit = send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

  def later(delay: FiniteDuration)(what: => Unit): Unit = {
    connection.loop.schedule(delay.toNanos, () => what)
    ()
  }

  def close(): Unit = connection.closeGracefully(100000000L, 1000000)
  def reset(): Unit = connection.abort()

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    val text = new String(bytes, from, until - from, ISO_8859_1)
    val end  = text.lastIndexOf("\r\n\r\n")
    if (end < 0) from
    else {
      text.take(end + 4).split("\r\n\r\n").foreach { _ =>
        served += 1
        script(this)
      }
      from + end + 4
    }
  }
  def onEnd(): Unit                    = connection.close()
  def onDrained(): Unit                = ()
  def onDeadline(): Unit               = ()
  def onClosed(cause: Throwable): Unit = gone()
}
