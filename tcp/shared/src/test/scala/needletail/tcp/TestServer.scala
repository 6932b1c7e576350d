package needletail.tcp

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{Await, Future}
import scala.concurrent.duration._

import needletail.async.Async
import needletail.io.{Address, Connection, ConnectionHandler, EventLoops, Listener, TlsIdentity}
import needletail.io.platform.{ConnectionOptions, ListenOptions}
import needletail.testing.Suite

/** Lines of text, each ended by LF. */
object Lines extends Codec[String, String] {
  def decoder(): Decoder[String] = (bytes, from, until) => {
    var end = from
    while (end < until && bytes(end) != '\n') end += 1
    if (end == until) Decoded.More
    else if (bytes(from) == '!') Decoded.Bad("a line begins with !")
    else Decoded.Message(new String(bytes, from, end - from, ISO_8859_1), end + 1)
  }
  def encode(line: String): Array[Byte] = (line + "\n").getBytes(ISO_8859_1)
}

/** A server of lines that does what a script says, right or wrong: called with each line, on the server's loop. */
final class TestServer(
    address: Address = Address.Tcp("127.0.0.1", 0),
    tls: TlsIdentity = null,
    options: ConnectionOptions = ConnectionOptions()
)(script: (TestPeer, String) => Unit) {
  private val loops    = new EventLoops(1, "test-server", daemon = true)
  private val listener = Listener.bind(
    address,
    loops(0),
    ListenOptions(),
    _.start(loops(0), options, tls) { connection =>
      opened.incrementAndGet()
      val peer = new TestPeer(connection, script, this)
      peers += peer
      accepted(peer)
      peer
    }
  )

  /** Connections accepted, those of them that are gone, and lines received. */
  lazy val opened: AtomicInteger = new AtomicInteger
  lazy val closed: AtomicInteger = new AtomicInteger
  lazy val lines: AtomicInteger  = new AtomicInteger

  /** Called with each new connection. */
  @volatile var accepted: TestPeer => Unit = _ => ()

  def at: Address = listener.address

  /** Resets the connections it has. */
  def cutAll(): Unit = loops(0).execute(() => peers.foreach(_.reset()))

  private[tcp] var peers = Set.empty[TestPeer] // used on the loop

  def close(): Unit = {
    listener.close()
    loops.stop()
    Await.result(loops.stopped, 20.seconds)
  }
}

/** One connection of a [[TestServer]], used on its loop. */
final class TestPeer(val connection: Connection, script: (TestPeer, String) => Unit, server: TestServer)
    extends ConnectionHandler {

  /** Whether it is not to answer any more: for scripts. */
  var isMute = false

  /** Lines received on this connection. */
  var received = 0

  def send(text: String): Unit = {
    val bytes = text.getBytes(ISO_8859_1)
    connection.write(bytes, 0, bytes.length)
  }
  def close(): Unit = connection.closeGracefully(100000000L, 1000000)
  def reset(): Unit = connection.abort()

  def later(delay: FiniteDuration)(what: => Unit): Unit = {
    connection.loop.schedule(delay.toNanos, () => what)
    ()
  }

  private var looked = 0 // bytes of the line that has begun, searched for its end before

  // a loop, as indexOf boxes each byte: where the JVM interprets it, a test that sends megabytes would take minutes
  private def endOfLine(bytes: Array[Byte], from: Int, until: Int): Int = {
    var at = from
    while (at < until && bytes(at) != '\n') at += 1
    at
  }

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    var at  = from
    var end = endOfLine(bytes, at + looked, until)
    while (end < until && connection.isOpen) {
      val line = new String(bytes, at, end - at, ISO_8859_1)
      at = end + 1
      received += 1
      server.lines.incrementAndGet()
      script(this, line)
      end = endOfLine(bytes, at, until)
    }
    looked = end - at
    at
  }
  def onEnd(): Unit                    = connection.close()
  def onDrained(): Unit                = ()
  def onDeadline(): Unit               = ()
  def onClosed(cause: Throwable): Unit = {
    server.peers -= this
    server.closed.incrementAndGet()
    ()
  }
}

trait WithTestServer { self: Suite =>

  /** One connection, with limits that no busy machine reaches. */
  val one: TcpClientConfig = TcpClientConfig(
    loops = 1,
    connections = 1,
    connectTimeout = 30.seconds,
    requestTimeout = 60.seconds,
    stallTimeout = 60.seconds,
    idleTimeout = 60.seconds
  )

  def serving[A](script: (TestPeer, String) => Unit, options: ConnectionOptions = ConnectionOptions())(
      body: TestServer => A
  ): A = {
    val server = new TestServer(options = options)(script)
    try body(server)
    finally server.close()
  }

  def calling[A](
      server: TestServer,
      config: TcpClientConfig = one,
      protocol: TcpProtocol[String, String] = TcpProtocol(Lines)
  )(
      body: TcpClient[String, String] => A
  ): A = {
    val client = TcpClient(protocol, server.at, config)
    try body(client)
    finally client.close()
  }

  def scripted[A](script: (TestPeer, String) => Unit, config: TcpClientConfig = one)(
      body: (TestServer, TcpClient[String, String]) => A
  ): A = serving(script)(server => calling(server, config)(body(server, _)))

  def await[A](f: Future[A]): A = Await.result(f, 20.seconds)

  /** All of them at once, on one loop; failures as values. */
  def all(client: TcpClient[String, String], requests: Seq[String]): Seq[Either[Throwable, String]] =
    await(client.run(Async.all(requests.map(r =>
      client.call(r).map[Either[Throwable, String]](Right(_)).recover { case e => Left(e) }
    ))))

  /** Nothing is left of the requests made so far. */
  def isIdle(client: TcpClient[String, String]): Boolean = {
    val s = client.statistics
    s.inFlight == 0 && s.waiting == 0 && s.answered + s.failed == s.requests
  }
}
