package needletail.io

import java.io.{ByteArrayOutputStream, IOException}
import java.net.{InetSocketAddress, Socket as PlainSocket}
import java.nio.ByteBuffer
import javax.net.ssl.SSLEngineResult.HandshakeStatus
import javax.net.ssl.{SSLEngine, SSLException, SSLSocket}

import scala.concurrent.duration.*

import needletail.io.platform.{ListenOptions, Socket, TlsServerContext}
import needletail.io.system.NioSocket
import needletail.io.system.tls.TlsSocket
import needletail.io.tls.TlsCounts
import needletail.testing.Certificate

/** Clients that speak TLS in order to do harm, and those that only come at a bad time. */
class TlsThreatSuite extends LoopSuite {
  private val identity = Tls.server(TlsServerConfig(Certificate.local.file, Certificate.local.key))

  private def secured(loop: EventLoop, options: ConnectionOptions = ConnectionOptions())(
      makeHandler: Connection => ConnectionHandler
  ): Listener = Listener.bind(anyPort, loop, ListenOptions(), _.start(loop, options, identity)(makeHandler))

  private lazy val trusting = Certificate.trusting(Certificate.local.file)

  private def connected(listener: Listener, receiveBuffer: Int = 0): PlainSocket = {
    val socket = new PlainSocket
    if (receiveBuffer > 0) socket.setReceiveBufferSize(receiveBuffer)
    socket.connect(new InetSocketAddress("127.0.0.1", portOf(listener)), patience.toMillis.toInt)
    socket.setSoTimeout(patience.toMillis.toInt)
    socket.setTcpNoDelay(true)
    socket
  }

  private def client(listener: Listener, version: String, receiveBuffer: Int = 0): SSLSocket =
    trusting.getSocketFactory.createSocket(connected(listener, receiveBuffer), "localhost", 1, true) match {
      case s: SSLSocket =>
        s.setEnabledProtocols(Array(version))
        s
      case other => fail(s"$other is no SSLSocket")
    }

  /**
   * A client whose records are made before they are sent: it reads only when it is told to, and takes no end of the
   * connection for the end of its stream, as the JDK's sockets do.
   */
  private final class ByHand(socket: PlainSocket, version: String = "TLSv1.3") {
    private val engine = trusting.createSSLEngine("localhost", 1)
    private val in     = ByteBuffer.allocate(1 << 20)
    engine.setEnabledProtocols(Array(version))
    engine.setUseClientMode(true)
    in.flip()

    engine.beginHandshake()
    while (isBusy(engine))
      engine.getHandshakeStatus match {
        case HandshakeStatus.NEED_TASK => engine.getDelegatedTask.run()
        case HandshakeStatus.NEED_WRAP => send(records(ByteBuffer.allocate(0)))
        case _                         => read()
      }

    private def isBusy(engine: SSLEngine) = engine.getHandshakeStatus != HandshakeStatus.NOT_HANDSHAKING &&
      engine.getHandshakeStatus != HandshakeStatus.FINISHED

    private def records(plain: ByteBuffer): Array[Byte] = {
      val out   = new ByteArrayOutputStream
      val piece = ByteBuffer.allocate(engine.getSession.getPacketBufferSize)
      while ({
        piece.clear()
        engine.wrap(plain, piece)
        out.write(piece.array, 0, piece.position())
        plain.hasRemaining || engine.getHandshakeStatus == HandshakeStatus.NEED_WRAP
      }) ()
      out.toByteArray
    }

    def data(text: String): Array[Byte] = records(ByteBuffer.wrap(text.getBytes("US-ASCII")))

    /** A KeyUpdate that asks for another. */
    def keyUpdate(): Array[Byte] = {
      engine.beginHandshake()
      records(ByteBuffer.allocate(0))
    }

    /** The end of what it sends. */
    def end(): Array[Byte] = {
      engine.closeOutbound()
      records(ByteBuffer.allocate(0))
    }

    def send(bytes: Array[Byte]): Unit = socket.getOutputStream.write(bytes)

    /** What was in one record; null at the end of the stream. */
    def read(): Array[Byte] = {
      val plain  = ByteBuffer.allocate(engine.getSession.getApplicationBufferSize)
      var result = engine.unwrap(in, plain)
      while (result.bytesConsumed == 0 && !engine.isInboundDone) {
        in.compact()
        val n = socket.getInputStream.read(in.array, in.position(), in.remaining)
        if (n < 0) throw new IOException("the connection ended")
        in.position(in.position() + n)
        in.flip()
        result = engine.unwrap(in, plain)
      }
      if (engine.isInboundDone) null else java.util.Arrays.copyOf(plain.array, plain.position())
    }
  }

  private def join(parts: Iterable[Array[Byte]]): Array[Byte] = parts.toArray.flatten

  private def awaitHeld(loop: EventLoop, bytes: Long): Unit = {
    def held = on(loop)(loop.memory.held)
    eventually(held == bytes, s"$held bytes are held, not $bytes")
  }

  test(
    "fault 3: a flood of key updates from a peer that does not read ends its connection, not the loop's work"
  ) {
    withLoop { loop =>
      val events   = new Events
      val listener = secured(loop)(_ => new Recorder(events))
      val socket   = connected(listener, receiveBuffer = 4096)
      val peer     = new ByHand(socket)
      peer.send(peer.data("hello"))
      events.expect("data hello")
      val flood = join(Vector.fill(5000)(peer.keyUpdate()))
      try peer.send(flood)
      catch { case _: IOException => () } // it was told already that this is enough
      val end = events.next()
      assert(end.startsWith("closed by ") && end.contains("TLS messages without data"), end)
      socket.close()
    }
  }

  test("key updates among data are answered, however many") {
    withLoop { loop =>
      val listener = secured(loop)(new Echo(_))
      val socket   = connected(listener)
      val peer     = new ByHand(socket)
      for (i <- 1 to 200) {
        peer.send(join(Vector(peer.keyUpdate(), peer.data("x"))))
        var got = Array.emptyByteArray
        while (got.isEmpty) got = peer.read() // the server's own key update carries nothing
        assertEquals(new String(got), "x", i)
      }
      socket.close()
    }
  }

  test("fault 3: while an answer to a key update is owed nothing is read, and all is when it is out") {
    withLoop { loop =>
      val events   = new Events
      val large    = new Array[Byte](8000000)
      val listener = secured(loop) { c =>
        new Recorder(events) {
          override def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
            if (bytes(from) == 'a') c.write(large, 0, large.length)
            super.onData(bytes, from, until)
          }
        }
      }
      val socket = connected(listener, receiveBuffer = 4096)
      val peer   = new ByHand(socket)
      peer.send(peer.data("all"))
      events.expect("data all") // more than the kernel takes
      peer.send(join(Vector.fill(10)(peer.keyUpdate()) :+ peer.data("further")))
      events.expectNothing(300)
      var left = large.length
      while (left > 0) left -= peer.read().length
      assertEquals(Set(events.next(), events.next()), Set("drained", "data further"))
      peer.send(peer.data("on"))
      events.expect("data on")
      socket.close()
    }
  }

  test("data after many key updates is read, although the connection has ended by then") {
    withLoop { loop =>
      val events                 = new Events
      var connection: Connection = null // the loop's own
      val listener               = secured(loop) { c =>
        connection = c
        new Recorder(events)
      }
      val socket = connected(listener)
      val peer   = new ByHand(socket)
      peer.send(peer.data("hello"))
      events.expect("data hello")
      on(loop)(connection.pauseReading())
      peer.send(join(Vector.fill(20)(peer.keyUpdate()) ++ Vector(peer.data("last"), peer.end())))
      socket.shutdownOutput()
      on(loop)(connection.resumeReading())
      events.expect("data last", "end")
      socket.close()
    }
  }

  test("fault 3: a client of TLS 1.2 that begins a handshake anew is answered with an alert") {
    withLoop { loop =>
      val events   = new Events
      val listener = secured(loop)(_ => new Recorder(events))
      val s        = client(listener, "TLSv1.2")
      send(s, "hello")
      events.expect("data hello")
      s.startHandshake()
      val e = intercept[SSLException] {
        while (s.getInputStream.read() >= 0) ()
      }
      assert(e.getMessage.contains("Received fatal alert"), e.toString)
      val end = events.next()
      assert(end.startsWith("closed by "), end)
      s.close()
    }
  }

  test("fault 3: a handshake that stalls has a time of its own, whatever the handler waits for") {
    withLoop { loop =>
      val events   = new Events
      val listener = secured(loop, ConnectionOptions(handshakeNanos = 200.millis.toNanos)) { c =>
        c.deadline = loop.nowNanos + 1.hour.toNanos
        new Recorder(events)
      }
      val silent  = connected(listener)
      val stalled = connected(listener)
      stalled.getOutputStream.write(Array[Byte](22, 3, 1, 2, 0, 1))
      events.expect("closed by no TLS handshake within 200 ms", "closed by no TLS handshake within 200 ms")
      for (peer <- List(silent, stalled)) {
        while (peer.getInputStream.read() >= 0)
          () // perhaps an alert, then the end; it throws where that does not come
        peer.close()
      }
    }
  }

  test(
    "fault 6: what has come of a record counts in the loop's memory until the rest is there, or never comes"
  ) {
    withLoop { loop =>
      val events   = new Events
      val listener = secured(loop)(_ => new Recorder(events))
      val socket   = connected(listener)
      val peer     = new ByHand(socket)
      val record   = peer.data("x" * 10000)
      peer.send(record.take(9000))
      awaitHeld(loop, 9000)
      peer.send(record.drop(9000))
      events.expect("data " + "x" * 10000)
      assertEquals(on(loop)(loop.memory.held), 0L)
      peer.send(peer.data("x" * 10000).take(8000))
      awaitHeld(loop, 8000)
      socket.close()
      awaitHeld(loop, 0)
    }
  }

  for (version <- Seq("TLSv1.2", "TLSv1.3"); isPeerDone <- Seq(false, true))
    test(
      s"fault 3: the end of the stream is told though the kernel took no more for the moment, $version" +
        (if (isPeerDone) ", to a peer that has ended its own" else "")
    ) {
      withLoop { loop =>
        val events = new Events
        var isFull = false // the loop's own
        val slow   = new TlsServerContext {
          def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket = {
            val engine = Certificate.local.context.createSSLEngine()
            engine.setUseClientMode(false)
            new TlsSocket(
              socket.asInstanceOf[NioSocket].channel,
              engine,
              "the client",
              counts,
              toPlain,
              None
            ) {
              private[io] override def put(encrypted: ByteBuffer): Int =
                if (isFull) 0 else super.put(encrypted)
            }
          }
          def certificates: Seq[CertificateInfo] = Nil
        }
        val stubborn                 = new TlsIdentity(TlsLimits(), () => slow, Nil)
        def end(c: Connection): Unit = {
          isFull = true
          c.closeGracefully(5.seconds.toNanos, 1024)
        }
        val listener = Listener.bind(
          anyPort,
          loop,
          ListenOptions(),
          _.start(loop, ConnectionOptions(), stubborn) { c =>
            new Recorder(events) {
              override def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
                c.write(bytes, from, until - from)
                if (!isPeerDone) end(c)
                super.onData(bytes, from, until)
              }
              override def onEnd(): Unit = {
                super.onEnd()
                end(c)
              }
            }
          }
        )
        val socket = connected(listener)
        val peer   = new ByHand(socket, version)
        peer.send(peer.data("hello"))
        events.expect("data hello")
        var got = Array.emptyByteArray
        while (got.isEmpty) got = peer.read() // tickets for later sessions carry nothing
        assertEquals(new String(got), "hello")
        if (isPeerDone) {
          peer.send(peer.end())
          events.expect("end")
        }
        events.expectNothing(50)
        on(loop) { isFull = false }
        assertEquals(peer.read(), null) // it throws where the end is not told
        socket.close()
        events.expect("closed")
      }
    }
}
