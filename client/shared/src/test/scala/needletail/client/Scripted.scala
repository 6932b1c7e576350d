package needletail.client

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.Async
import needletail.client.config.RetryConfig
import needletail.io._
import needletail.io.platform.ListenOptions
import needletail.testing.{Ports, Suite}

/** A server that does what a script says, right or wrong: called for each request, with the text that came. */
final class Scripted(
    script: (Peer, Int) => Unit,
    address: Address = Address.Tcp("127.0.0.1", 0),
    tls: TlsIdentity = null
) {
  private val loops    = new EventLoops(1, "scripted", daemon = true)
  private val listener = Ports.onceFree(Listener.bind(
    address,
    loops(0),
    ListenOptions(),
    _.start(loops(0), ConnectionOptions(), tls) { connection =>
      opened.incrementAndGet()
      new Peer(connection, script, this)
    }
  ))

  /** Connections accepted, and those of them that are gone. */
  lazy val opened: AtomicInteger = new AtomicInteger
  lazy val closed: AtomicInteger = new AtomicInteger

  /** Requests that came, over all connections; answered numbers count from 1. */
  lazy val requests: AtomicInteger       = new AtomicInteger
  @volatile var received: Vector[String] = Vector.empty

  def port: Int = listener.address match {
    case Address.Tcp(_, port) => port
    case _                    => 0
  }
  def url: String = s"http://127.0.0.1:$port"

  /** Stops listening and cuts off its connections; both are done when it returns. */
  def close(): Unit = {
    listener.close()
    loops.stop()
    Await.result(loops.stopped, 20.seconds)
  }
}

/** A client that says what it is told and goes as rudely as it is told, for servers of ours. */
final class Visitor(port: Int, text: String) {
  private val loops            = new EventLoops(1, "visitor", daemon = true)
  @volatile var received: Long = 0

  private val connected = Async.run(loops(0)) {
    Connector.connect(Address.Tcp("127.0.0.1", port), loops(0)) { _ =>
      new ConnectionHandler {
        def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
          received += until - from
          until
        }
        def onEnd(): Unit                    = ()
        def onDrained(): Unit                = ()
        def onDeadline(): Unit               = ()
        def onClosed(cause: Throwable): Unit = ()
      }
    }.map { c =>
      val bytes = text.getBytes(ISO_8859_1)
      c.write(bytes, 0, bytes.length)
      c
    }
  }
  private val connection = Await.result(connected, 20.seconds)

  /** Goes away with RST. */
  def reset(): Unit = {
    loops(0).execute(() => connection.abort())
    loops.stop()
  }
}

/** One connection of a [[Scripted]] server, to be used on its loop. */
final class Peer(val connection: Connection, script: (Peer, Int) => Unit, server: Scripted)
    extends ConnectionHandler {

  /** Requests that came on this connection. */
  var served = 0

  /** What the request at hand asks for. */
  var target = ""

  def send(text: String): Unit = {
    val bytes = text.getBytes(ISO_8859_1)
    connection.write(bytes, 0, bytes.length)
  }

  /** Byte by byte, one each `millis`. */
  def drip(text: String, millis: Int): Unit =
    if (text.nonEmpty && connection.isOpen) {
      send(text.take(1))
      later(millis)(drip(text.drop(1), millis))
    }

  def later(millis: Int)(what: => Unit): Unit = {
    connection.loop.schedule(millis * 1000000L, () => what)
    ()
  }

  def close(): Unit = connection.closeGracefully(100000000L, 1000000)
  def reset(): Unit = connection.abort()

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    val text = new String(bytes, from, until - from, ISO_8859_1)
    val end  = text.indexOf("\r\n\r\n")
    if (end < 0) from
    else {
      server.received :+= text
      // the last word before each version: the target
      for (before <- text.split(" HTTP/1.1\r\n", -1).dropRight(1)) {
        target = before.substring(before.lastIndexOf(' ') + 1)
        served += 1
        script(this, server.requests.incrementAndGet())
      }
      until // a body, too, is taken for granted
    }
  }
  def onEnd(): Unit                    = connection.close()
  def onDrained(): Unit                = ()
  def onDeadline(): Unit               = ()
  def onClosed(cause: Throwable): Unit = { server.closed.incrementAndGet(); () }
}

trait Misbehaving extends Serving { self: Suite =>

  /** A scripted server and a client that repeats nothing by itself, for one test. */
  def scripted[A](script: (Peer, Int) => Unit, config: ClientConfig = strict)(
      body: (Scripted, Client) => A
  ): A = {
    val server = new Scripted(script)
    try calling(config)(client => body(server, client))
    finally server.close()
  }

  def strict: ClientConfig = clientConfig.copy(retry = RetryConfig(attempts = 1))

  val ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
}
