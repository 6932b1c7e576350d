package needletail.io

import java.io.IOException
import java.net.{ServerSocket, Socket as PlainSocket}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files
import java.util.concurrent.{CountDownLatch, LinkedBlockingQueue, TimeUnit}
import javax.net.ssl.{SSLSocket, SSLSocketFactory}

import scala.concurrent.{Await, Promise}
import scala.util.Random

import needletail.io.system.tls.JdkClientContext
import needletail.testing.Certificate

/** TLS against the JDK's own blocking sockets. */
class TlsSuite extends LoopSuite {
  private val trusting = Tls.trusting(Certificate.local.file)

  /** Serves connections one after the other, each by a thread of its own; plain ones, to be secured or not. */
  private def serving[A](serve: PlainSocket => Unit)(body: Int => A): A = {
    val listener = new ServerSocket(0, 50, java.net.InetAddress.getByName("127.0.0.1"))
    val thread   = new Thread(() =>
      try
        while (true) {
          val socket = listener.accept()
          socket.setSoTimeout(patience.toMillis.toInt)
          val server = new Thread(() =>
            try serve(socket)
            catch { case _: IOException => () }
            finally socket.close()
          )
          server.setDaemon(true)
          server.start()
        }
      catch { case _: IOException => () }
    )
    thread.setDaemon(true)
    thread.start()
    try body(listener.getLocalPort)
    finally listener.close()
  }

  private def secure(
      socket: PlainSocket,
      version: String = "TLSv1.3",
      by: Certificate = Certificate.local
  ): SSLSocket = {
    val factory: SSLSocketFactory = by.context.getSocketFactory
    val secured = factory.createSocket(socket, "localhost", socket.getPort, false).asInstanceOf[SSLSocket]
    secured.setUseClientMode(false)
    secured.setEnabledProtocols(Array(version))
    secured
  }

  private def echo(version: String)(socket: PlainSocket): Unit = {
    val secured = secure(socket, version)
    val in      = secured.getInputStream
    val out     = secured.getOutputStream
    val bytes   = new Array[Byte](100000)
    var n       = in.read(bytes)
    while (n > 0) {
      out.write(bytes, 0, n)
      n = in.read(bytes)
    }
    secured.close()
  }

  private def open(
      loop: EventLoop,
      port: Int,
      tls: Tls = trusting,
      name: String = "localhost",
      options: ConnectionOptions = ConnectionOptions(),
      timeoutNanos: Long = 10L * 1000 * 1000 * 1000
  )(makeHandler: Connection => ConnectionHandler): Connection = {
    val result = Promise[Connection]()
    loop.execute { () =>
      Connector.connect(
        Address.Tcp("127.0.0.1", port),
        loop,
        options,
        timeoutNanos,
        tls = tls.to(name)
      )(makeHandler)
        .onComplete(t => { result.complete(t); () })
    }
    Await.result(result.future, patience)
  }

  private def refusal(
      port: Int,
      tls: Tls = trusting,
      name: String = "localhost",
      timeoutNanos: Long = 5000000000L
  ) =
    withLoop { loop =>
      intercept[IOException](open(loop, port, tls, name, timeoutNanos = timeoutNanos)(_ =>
        new Recorder(new Events)
      ))
        .getMessage
    }

  /** Sends `content` and gathers as much; reading is paused now and then. */
  private final class Sending(
      connection: Connection,
      content: Array[Byte],
      got: LinkedBlockingQueue[Array[Byte]]
  ) extends ConnectionHandler {
    private val came = new java.io.ByteArrayOutputStream

    def begin(): Unit = connection.write(content, 0, content.length)

    def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
      val all  = until - from
      val used = if (all > 700 && came.size + all < content.length) all * 2 / 3 else all // some is left over
      came.write(bytes, from, used)
      if (came.size % 7 == 0) {
        connection.pauseReading()
        connection.loop.schedule(200000L, () => connection.resumeReading())
      }
      if (came.size == content.length) {
        got.put(came.toByteArray)
        connection.shutdownOutput()
      }
      from + used
    }
    def onEnd(): Unit                    = { got.put("end".getBytes); connection.close() }
    def onDrained(): Unit                = got.put("drained".getBytes)
    def onDeadline(): Unit               = ()
    def onClosed(cause: Throwable): Unit = got.put(s"closed ${cause == null}".getBytes)
  }

  for {
    version <- Seq("TLSv1.3", "TLSv1.2")
    size    <- Seq(1, 16384, 3000001)
    room    <- Seq(64 * 1024, 1500)
  } test(s"$version: $size bytes there and back, of which $room at most are read at once") {
    serving(echo(version)) { port =>
      withLoop { loop =>
        val content = new Array[Byte](size)
        val got     = new LinkedBlockingQueue[Array[Byte]]
        new Random(size).nextBytes(content)
        var handler: Sending = null
        open(loop, port, options = ConnectionOptions(maxLeftover = room)) { c =>
          handler = new Sending(c, content, got)
          handler
        }
        on(loop)(handler.begin())
        def next() = {
          val one = got.poll(patience.toMillis, java.util.concurrent.TimeUnit.MILLISECONDS)
          if (one == null) fail("nothing came")
          one
        }
        var first = next()
        if (new String(first, UTF_8) == "drained" && size > 100) first = next()
        assert(java.util.Arrays.equals(first, content), s"${first.length} bytes of $size, or others")
        var rest = Seq.empty[String]
        while (!rest.lastOption.exists(_.startsWith("closed"))) rest :+= new String(next(), UTF_8)
        assertEquals(rest.filter(_ != "drained"), Seq("end", "closed true"))
      }
    }
  }

  test("many connections one after the other, and the session is taken up again") {
    val resumed = new LinkedBlockingQueue[Long]
    serving { socket =>
      val secured = secure(socket)
      secured.startHandshake()
      resumed.put(secured.getSession.getCreationTime)
      secured.getInputStream.read()
      secured.getOutputStream.write('x')
      secured.close()
    } { port =>
      withLoop { loop =>
        for (_ <- 1 to 20) {
          val events = new Events
          val c      = open(loop, port)(_ => new Recorder(events))
          on(loop)(c.write("a".getBytes, 0, 1))
          events.expect("data x", "end")
          on(loop)(c.close())
          events.expect("closed")
        }
        assertEquals(resumed.size, 20)
        assert(resumed.toArray.toSet.size <= 5, resumed) // a full handshake each would have as many times
      }
    }
  }

  test("a certificate that is not trusted, or for another name, is refused") {
    serving(socket => secure(socket).startHandshake()) { port =>
      val stranger = refusal(port, Tls.system)
      assert(stranger.contains("the certificate of localhost is not trusted"), stranger)
      assert(stranger.startsWith(s"cannot connect to 127.0.0.1:$port: "), stranger)
      val other = refusal(port, name = "other.example")
      assert(other.contains("the certificate is not for other.example"), other)
    }
    serving(socket => secure(socket, by = Certificate.foreign).startHandshake()) { port =>
      val other = refusal(port, Tls.trusting(Certificate.foreign.file))
      assert(other.contains("the certificate is not for localhost"), other)
    }
  }

  test("a common name is not taken for a host, whatever SSLContext is used (RFC 9525 section 6.3)") {
    val context = Certificate.trusting(Certificate.nameless.file)
    for (tls <- Seq(Tls.of(context), Tls.trusting(Certificate.nameless.file)))
      serving(socket => secure(socket, by = Certificate.nameless).startHandshake()) { port =>
        val refused = refusal(port, tls)
        assert(
          refused.contains("the certificate is not for localhost: it has no subjectAltName for that"),
          refused
        )
      }
  }

  test("any certificate is accepted by unchecked") {
    serving(echo("TLSv1.3")) { port =>
      withLoop { loop =>
        val events = new Events
        val c      = open(loop, port, Tls.unchecked, "other.example")(_ => new Recorder(events))
        on(loop)(c.write("hello".getBytes, 0, 5))
        events.expect("data hello")
        on(loop)(c.close())
        events.expect("closed")
      }
    }
  }

  test("a context of the JDK's") {
    serving(echo("TLSv1.3")) { port =>
      assert(refusal(port, Tls.of(javax.net.ssl.SSLContext.getDefault)).contains("is not trusted"))
    }
  }

  test("a platform whose own trust cannot be read fails the connection, and says so") {
    val broken =
      new Tls(JdkClientContext.of(() => throw new java.security.NoSuchAlgorithmException("no store")))
    serving(echo("TLSv1.3")) { port =>
      val text = refusal(port, broken)
      assert(text.contains("TLS is not available: no store"), text)
    }
  }

  test("who speaks no TLS, says nothing, or goes in the middle") {
    serving(socket => socket.getOutputStream.write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes)) { port =>
      val text = refusal(port)
      assert(text.contains("localhost does not use TLS on that port"), text)
    }
    val over = new CountDownLatch(1)
    serving { _ => over.await(20, TimeUnit.SECONDS); () } { port =>
      try {
        val text = refusal(port, timeoutNanos = 300000000L)
        assert(text.contains("no answer within 300 ms"), text)
      } finally over.countDown()
    }
    serving(socket => { socket.getInputStream.read(); () }) { port =>
      val text = refusal(port)
      assert(text.contains("closed the connection") || text.contains("reset"), text)
    }
  }

  test("an end that TLS does not tell of is none: data may be missing") {
    val received = new CountDownLatch(1)
    serving { socket =>
      secure(socket).getOutputStream.write("some".getBytes)
      received.await(20, TimeUnit.SECONDS)
      socket.close()
    } { port =>
      withLoop { loop =>
        val events = new Events
        open(loop, port)(_ => new Recorder(events))
        events.expect("data some")
        received.countDown()
        val end = events.next()
        assert(end.startsWith("closed by") && end.contains("data may be missing"), end)
      }
    }
  }

  test("certificates that are none") {
    val file = Files.createTempFile("none", ".pem")
    Files.write(file, "nothing".getBytes)
    assert(intercept[IOException](Tls.trusting(file)).getMessage.contains("has no X.509 certificates"))
    Files.write(file, Array.empty[Byte])
    assert(intercept[IOException](Tls.trusting(file)).getMessage.contains("is empty"))
    Files.delete(file)
    intercept[IOException](Tls.trusting(file))
  }

  test("a key whose first and last line share their hyphens is none") {
    val key = Files.createTempFile("none", ".pem")
    Files.write(key, "-----BEGIN PRIVATE KEY-----END PRIVATE KEY-----".getBytes)
    val error = intercept[IOException](Tls.server(TlsServerConfig(Certificate.foreign.file, key)))
    assert(error.getMessage.contains("is damaged"), error.getMessage)
    Files.delete(key)
  }

  test("a certificate for a kind of key that is not known here") {
    val file = Files.createTempFile("unknown", ".pem")
    // one bit of the number of its key's algorithm, 1.2.840.10045.2.1, turned
    val pem   = new String(Files.readAllBytes(Certificate.foreign.file))
    val plain = java.util.Base64.getMimeDecoder.decode(pem.replaceAll("-----[A-Z ]+-----", ""))
    val at    = plain.indexOfSlice(Seq(0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1).map(_.toByte))
    plain(at + 2) = (plain(at + 2) ^ 4).toByte
    Files.write(
      file,
      s"-----BEGIN CERTIFICATE-----\n${java.util.Base64.getMimeEncoder.encodeToString(plain)}\n-----END CERTIFICATE-----".getBytes
    )
    val error = intercept[IOException](Tls.server(TlsServerConfig(file, Certificate.foreign.key)))
    assert(error.getMessage.contains("unsupported kind of key"), error.getMessage)
    Files.delete(file)
  }

  test("trusted certificates are read by another thread than the loop's, once") {
    val threads = new LinkedBlockingQueue[Thread]
    val reading = new CountDownLatch(1)
    val tls     = new Tls(JdkClientContext.of { () =>
      threads.add(Thread.currentThread)
      reading.await(patience.toMillis, TimeUnit.MILLISECONDS)
      Certificate.trusting(Certificate.local.file)
    })
    serving(echo("TLSv1.3")) { port =>
      withLoop { loop =>
        val thread = on(loop)(Thread.currentThread)
        def open() = {
          val result = Promise[Connection]()
          loop.execute { () =>
            Connector.connect(Address.Tcp("127.0.0.1", port), loop, tls = tls.to("localhost"))(_ =>
              new Recorder(new Events)
            ).onComplete(t => { result.complete(t); () })
          }
          result.future
        }
        val first = open()
        assert(on(loop)(true)) // it turns
        reading.countDown()
        assert(Await.result(first, patience) ne null)
        assert(Await.result(open(), patience) ne null)
        assertEquals(threads.size, 1)
        assert(threads.peek ne thread)
      }
    }
  }
}
