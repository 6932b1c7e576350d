package needletail.io

import needletail.io.platform.ListenOptions
import needletail.testing.Suite

import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}
import scala.concurrent.duration.*
import scala.concurrent.{Await, Promise}
import scala.util.Try

/**
 * What suites need that run loops of their own. Every wait here is bounded. Assertions belong on the test's thread:
 * `assert` holds a lock while it looks at its condition, and a handler that asserts would wait for it.
 */
abstract class LoopSuite extends Suite {
  val patience: FiniteDuration = 20.seconds

  val anyPort: Address = Address.Tcp("127.0.0.1", 0)

  /** Runs `body` with one loop, which is ended afterwards. */
  def withLoop[A](body: EventLoop => A): A = withLoops(1)(loops => body(loops(0)))

  def withLoops[A](count: Int)(body: EventLoops => A): A = {
    val loops = new EventLoops(count, "test", daemon = true)
    try body(loops)
    finally {
      loops.stop()
      Await.result(loops.stopped, patience)
    }
  }

  /** Returns when the loop has nothing to do. */
  def untilAsleep(loop: EventLoop): Unit =
    eventually(loop.presentTurn == Long.MinValue, "the loop does not sleep")

  /** Runs `body` on the loop and waits for its result. */
  def on[A](loop: EventLoop)(body: => A): A = {
    val result = Promise[A]()
    loop.execute { () => result.complete(Try(body)); () }
    Await.result(result.future, patience)
  }

  def listen(loop: EventLoop, address: Address = anyPort, options: ConnectionOptions = ConnectionOptions())(
      makeHandler: Connection => ConnectionHandler
  ): Listener = Listener.bind(address, loop, ListenOptions(), _.start(loop, options)(makeHandler))

  def portOf(listener: Listener): Int = listener.address match {
    case Address.Tcp(_, port) => port
    case other                => fail(s"not a TCP address: $other")
  }

  /** A plain blocking client, which shares no code with what is tested. */
  def withClient[A](listener: Listener)(body: java.net.Socket => A): A = {
    val socket = new java.net.Socket("127.0.0.1", portOf(listener))
    socket.setSoTimeout(patience.toMillis.toInt)
    try body(socket)
    finally socket.close()
  }

  def send(socket: java.net.Socket, text: String): Unit = {
    socket.getOutputStream.write(text.getBytes("US-ASCII"))
    socket.getOutputStream.flush()
  }

  def receive(socket: java.net.Socket, count: Int): String = {
    val bytes = new Array[Byte](count)
    var got   = 0
    while (got < count) {
      val n = socket.getInputStream.read(bytes, got, count - got)
      if (n < 0) fail(s"the stream ended after $got of $count bytes")
      got += n
    }
    new String(bytes, "US-ASCII")
  }

  def atEnd(socket: java.net.Socket): Boolean = socket.getInputStream.read() == -1

  /** Connects from `loop` and waits for the connection. */
  def connect(loop: EventLoop, address: Address, options: ConnectionOptions = ConnectionOptions())(
      makeHandler: Connection => ConnectionHandler
  ): Connection = {
    val result = Promise[Connection]()
    loop.execute { () =>
      Connector.connect(address, loop, options)(makeHandler).onComplete(t => { result.complete(t); () })
    }
    Await.result(result.future, patience)
  }

  /** What happened, in order, for the test's thread to wait for. */
  final class Events {
    private val queue = new LinkedBlockingQueue[String]

    def add(event: String): Unit = queue.put(event)
    def isEmpty: Boolean         = queue.isEmpty

    def next(): String = {
      val event = queue.poll(patience.toMillis, TimeUnit.MILLISECONDS)
      if (event eq null) fail("nothing happened")
      event
    }

    def expect(events: String*): Unit = events.foreach(e => assertEquals(next(), e))

    /** Nothing happens for a while. */
    def expectNothing(millis: Long): Unit = {
      val event = queue.poll(millis, TimeUnit.MILLISECONDS)
      if (event ne null) fail(s"did not expect $event")
    }
  }

  /** Records everything; uses all data unless `use` says otherwise. */
  class Recorder(val events: Events) extends ConnectionHandler {
    def use(text: String): Int = text.length

    def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
      val text = new String(bytes, from, until - from, "US-ASCII")
      events.add(s"data $text")
      from + use(text)
    }
    def onEnd(): Unit                    = events.add("end")
    def onDrained(): Unit                = events.add("drained")
    def onDeadline(): Unit               = events.add("deadline")
    def onClosed(cause: Throwable): Unit =
      events.add(if (cause eq null) "closed" else s"closed by ${cause.getMessage}")
  }

  /** A listener whose connections record into `events` what happens to them. */
  final class Recorded(val loop: EventLoop, options: ConnectionOptions, use: (Connection, String) => Int) {
    val events: Events = new Events

    /** The last connection that was accepted. For the loop's thread, once something of it has been recorded. */
    var connection: Connection = null

    val listener: Listener = listen(loop, options = options) { c =>
      connection = c
      new Recorder(events) {
        override def use(text: String): Int = Recorded.this.use(c, text)
      }
    }
  }

  /** @param use what a handler does with data: it returns how many bytes it uses */
  def withRecorded[A](
      options: ConnectionOptions = ConnectionOptions(),
      use: (Connection, String) => Int = (_, text) => text.length
  )(body: Recorded => A): A = withLoop(loop => body(new Recorded(loop, options, use)))

  /** Writes back what comes and closes when the peer has ended. */
  final class Echo(connection: Connection) extends ConnectionHandler {
    def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
      connection.write(bytes, from, until - from)
      if (connection.pendingBytes > 0) connection.pauseReading()
      until
    }
    def onEnd(): Unit                    = connection.closeGracefully(1000000000L, 1024)
    def onDrained(): Unit                = connection.resumeReading()
    def onDeadline(): Unit               = connection.close()
    def onClosed(cause: Throwable): Unit = ()
  }
}
