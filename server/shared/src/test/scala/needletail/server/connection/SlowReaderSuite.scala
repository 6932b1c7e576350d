package needletail.server.connection

import needletail.server.{RunningServer, Server}
import needletail.server.config.ServerConfig
import needletail.server.tcp.{Answer, TcpServer}
import needletail.server.operations.Log

import java.net.{InetSocketAddress, Socket}

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.Async
import needletail.http._
import needletail.io.Address
import needletail.tcp.{Codec, Decoded, Decoder}
import needletail.testing.{Pause, Suite}

/**
 * Peers that take their answers slowly, and those that take nothing: `writeTimeout` is for the latter. The kernel's
 * buffer has megabytes, and says that there is room when a third of it is free: how much it has taken tells little.
 */
class SlowReaderSuite extends Suite {
  private val size    = 16 * 1024 * 1024
  private val content = new Array[Byte](size)

  private def config(writeTimeout: FiniteDuration) = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    loops = 1,
    writeTimeout = writeTimeout,
    log = Log.none
  )

  /** How long a server waits for readers that are slow but steady: longer than a busy machine holds up their threads. */
  private val patience = 5.seconds

  /** A protocol with large answers: for each byte of a request, `size` of them. */
  private object Large extends Codec[Byte, Array[Byte]] {
    def decoder(): Decoder[Byte] = (bytes, from, until) =>
      if (from == until) Decoded.More else Decoded.Message(bytes(from), from + 1)
    def encode(answer: Array[Byte]): Array[Byte] = answer
  }

  private def withCodec[A](
      answer: Byte => Async[Answer[Array[Byte]]],
      writeTimeout: FiniteDuration = 1.second
  )(body: TcpServer => A): A = {
    val server = TcpServer.serve(Large, config(writeTimeout))(_ => answer)
    try body(server)
    finally { Await.result(server.close(), 20.seconds); () }
  }

  private def withHttp[A](handler: Handler, writeTimeout: FiniteDuration = 1.second)(
      body: RunningServer => A
  ): A = {
    val server = Server(handler, config(writeTimeout)).start()
    try body(server)
    finally { Await.result(server.close(), 20.seconds); () }
  }

  /** A client whose kernel takes little ahead of it. */
  private def ask[A](port: Int, text: String)(body: Socket => A): A = {
    val socket = new Socket()
    socket.setReceiveBufferSize(64 * 1024)
    socket.connect(new InetSocketAddress("127.0.0.1", port), 5000)
    socket.setSoTimeout(20000)
    socket.getOutputStream.write(text.getBytes("ISO-8859-1"))
    try body(socket)
    finally socket.close()
  }

  private def read(socket: Socket, most: Int): Int = {
    val buffer = new Array[Byte](64 * 1024)
    var got    = 0
    var n      = 0
    while (got < most && n >= 0) {
      n = socket.getInputStream.read(buffer, 0, Math.min(buffer.length, most - got))
      if (n > 0) got += n
    }
    got
  }

  /**
   * Reads 160 kB a second for longer than `patience`, then the rest; answers how much there was. By then the kernel has
   * not reported room. SlowPeersSuite and the simulated scenarios have readers that are slow for longer.
   */
  private def readSlowly(socket: Socket): Long = {
    var got = 0L
    val end = System.nanoTime() + (patience + 1.second).toNanos
    while (System.nanoTime() < end) {
      got += read(socket, 16 * 1024)
      Pause(100.millis)
    }
    got + read(socket, Int.MaxValue)
  }

  private val whole: Handler = _ => Response.ok.bytes(content)

  private def get(more: String) = s"GET / HTTP/1.1\r\nHost: a\r\n$more\r\n"

  test("fault 8: a slow but steady reader gets all of its reply, also of one that is streamed or the last") {
    def streamed: Handler =
      _ =>
        Response.ok.stream(
          ByteStream.fromIterator(Iterator.fill(size / 65536)(new Array[Byte](65536))),
          size.toLong
        )
    for ((handler, more) <- List((whole, "Connection: close\r\n"), (streamed, "Connection: close\r\n")))
      withHttp(handler, patience) { server =>
        val got = ask(server.port, get(more))(readSlowly)
        assert(got > size, s"$got of more than $size bytes")
        assertEquals(Await.result(server.statistics, 20.seconds).timeouts, 0L)
      }
  }

  test("fault 8: a peer that takes nothing is reset, whether its connection was to go on or not") {
    withHttp(whole) { server =>
      def open() = Await.result(server.statistics, 20.seconds).connectionsOpen
      for (more <- List("", "Connection: close\r\n"))
        ask(server.port, get(more)) { socket =>
          read(socket, 1)
          eventually(open() == 0, s"not reset: '$more'")
        }
      assertEquals(Await.result(server.statistics, 20.seconds).timeouts, 2L)
    }
  }

  test("fault 10: a codec's peer that progresses is not reset, one that takes nothing is") {
    withCodec(_ => Answer.last(content), patience) { server =>
      assertEquals(ask(server.port, "x")(readSlowly), size.toLong)
      assertEquals(Await.result(server.statistics, 20.seconds).timeouts, 0L)
    }
    for (close <- List(true, false))
      withCodec(_ => Async.value(Answer(Seq(content), close))) { server =>
        ask(server.port, "x") { socket =>
          read(socket, 1)
          eventually(Await.result(server.statistics, 20.seconds).connectionsOpen == 0, "not reset")
          assertEquals(Await.result(server.statistics, 20.seconds).timeouts, 1L)
        }
      }
  }

  /** Begins a drain; when this returns every connection has been told. */
  private def drain(server: TcpServer): scala.concurrent.Future[Unit] = {
    val drained     = server.drain()
    def isListening =
      try { new Socket("127.0.0.1", server.port).close(); true }
      catch { case _: java.io.IOException => false }
    eventually(!isListening)
    server.snapshots.foreach(Await.result(_, 20.seconds)) // asked of the loops after they were told to drain
    drained
  }

  test("fault 10: a drain that began with output pending ends the connection when it has been taken") {
    withCodec(_ => Answer(content)) { server =>
      ask(server.port, "x") { socket =>
        read(socket, 1)
        val drained = drain(server)
        assertEquals(read(socket, Int.MaxValue), size - 1, "all of it, and then the end")
        socket.close()
        Await.result(drained, 20.seconds)
      }
    }
  }

  test("fault 10: one that began while an answer was awaited ends it after that answer") {
    val asked  = scala.concurrent.Promise[Unit]()
    val answer = scala.concurrent.Promise[Unit]()
    withCodec { _ =>
      asked.trySuccess(())
      Async.fromFuture(answer.future).map(_ => Answer(Seq(content), close = false))
    } { server =>
      ask(server.port, "xx") { socket =>
        Await.result(asked.future, 20.seconds)
        val drained = drain(server)
        answer.success(())
        assertEquals(read(socket, Int.MaxValue), size, "one answer")
        socket.close()
        Await.result(drained, 20.seconds)
      }
    }
  }
}
