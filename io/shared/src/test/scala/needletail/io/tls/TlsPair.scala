package needletail.io.tls

import java.io.IOException
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Path}
import java.util.concurrent.{ConcurrentLinkedQueue, LinkedBlockingQueue, TimeUnit}

import scala.concurrent.{Await, Promise}

import needletail.io.{
  Address,
  Connection,
  ConnectionHandler,
  Connector,
  EventLoop,
  Listener,
  LoopSuite,
  Tls,
  TlsIdentity
}
import needletail.io.platform.{ConnectionOptions, ListenOptions}
import needletail.testing.{Authority, TemporaryDirectories}

/** What suites need of a server and a client of ours with TLS, with certificates made by openssl. */
abstract class TlsPair extends LoopSuite with TemporaryDirectories {
  lazy val authority = newAuthority("Needletail")
  lazy val local     = {
    val issued = authority.issue(
      "DNS:localhost,DNS:here.test,IP:127.0.0.1,email:a@b.example,URI:x:y",
      subject = "local"
    )
    TlsCertificate(issued.chain, issued.key)
  }
  lazy val trusting = Tls.trusting(authority.file)

  /** Skipped on a platform without TLS. */
  def tlsTest(name: String)(body: => Unit): Unit = test(name) {
    assume(Tls.isKnown, "no TLS")
    body
  }

  /** Collects what comes, and writes back what the peer sends if it is the server's. */
  final class Kept(connection: Connection, isServer: Boolean) extends ConnectionHandler {
    val events           = new LinkedBlockingQueue[String]
    private val received = new java.io.ByteArrayOutputStream

    def bytes: Array[Byte] = received.synchronized(received.toByteArray)

    def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
      received.synchronized(received.write(bytes, from, until - from))
      if (isServer) {
        connection.write(bytes, from, until - from)
        if (connection.pendingBytes > 0) connection.pauseReading()
      }
      until
    }
    def onEnd(): Unit = {
      events.put("end")
      if (isServer) connection.closeGracefully(1000000000L, 1024)
    }
    def onDrained(): Unit                = if (isServer) connection.resumeReading()
    def onDeadline(): Unit               = ()
    def onClosed(cause: Throwable): Unit =
      events.put(if (cause eq null) "closed" else s"closed by ${cause.getMessage}")

    def next(): String = {
      val event = events.poll(patience.toMillis, TimeUnit.MILLISECONDS)
      if (event eq null) fail("nothing happened")
      event
    }
  }

  final class Served(
      val loop: EventLoop,
      identity: TlsIdentity,
      toPlain: Array[Byte] = null,
      options: ConnectionOptions = ConnectionOptions()
  ) {
    val connections        = new ConcurrentLinkedQueue[Connection]
    val handlers           = new LinkedBlockingQueue[Kept]
    val listener: Listener = Listener.bind(
      anyPort,
      loop,
      ListenOptions(),
      _.start(loop, options, identity, toPlain) { c =>
        connections.add(c)
        val kept = new Kept(c, isServer = true)
        handlers.put(kept)
        kept
      }
    )
    val port: Int = portOf(listener)

    def nextHandler(): Kept = {
      val handler = handlers.poll(patience.toMillis, TimeUnit.MILLISECONDS)
      if (handler eq null) fail("no connection came")
      handler
    }
  }

  def serving[A](
      config: TlsServerConfig,
      toPlain: Array[Byte] = null,
      options: ConnectionOptions = ConnectionOptions()
  )(body: Served => A): A = withLoop(loop => body(new Served(loop, Tls.server(config), toPlain, options)))

  def open(
      loop: EventLoop,
      port: Int,
      tls: Tls = trusting,
      name: String = "localhost",
      options: ConnectionOptions = ConnectionOptions()
  ): (Connection, Kept) = {
    val result     = Promise[Connection]()
    var kept: Kept = null
    loop.execute { () =>
      Connector.connect(Address.Tcp("127.0.0.1", port), loop, options, patience.toNanos, tls = tls.to(name)) {
        c =>
          kept = new Kept(c, isServer = false)
          kept
      }.onComplete(t => { result.complete(t); () })
    }
    (Await.result(result.future, patience), kept)
  }

  def refusal(served: Served, tls: Tls = trusting, name: String = "localhost"): String =
    intercept[IOException](open(served.loop, served.port, tls, name)).getMessage

  /** The same without the address. */
  def refusalIn(served: Served, tls: Tls = trusting): String =
    refusal(served, tls).replaceFirst("cannot connect to [0-9.:]+: ", "")

  def files(issued: Authority#Issued): TlsCertificate = TlsCertificate(issued.chain, issued.key)

  /** What a server that trusts these says of a client with that certificate; empty if it accepts it. */
  def saidOf(shown: TlsCertificate, trusted: Path): String =
    serving(config.copy(clients = Some(TlsClientAuth(trusted)))) { served =>
      val tls = Tls.client(TlsClientConfig(TlsTrust.File(authority.file), Some(shown)))
      try {
        val (c, kept) = open(served.loop, served.port, tls)
        on(served.loop)(c.write("hello".getBytes, 0, 5))
        eventually(kept.bytes.length == 5 || !kept.events.isEmpty, "nothing happened")
        if (kept.bytes.length == 5) "" else served.nextHandler().next()
      } catch { case _: IOException => served.nextHandler().next() }
    }

  /** Sends `content`, and checks that it comes back. */
  def roundTrip(served: Served, opened: (Connection, Kept), content: Array[Byte]): Unit = {
    val (c, kept) = opened
    on(served.loop)(c.write(content, 0, content.length))
    eventually(
      kept.bytes.length >= content.length,
      s"${kept.bytes.length} of ${content.length} bytes came back"
    )
    assert(java.util.Arrays.equals(kept.bytes, content), "other bytes came back")
  }

  def hello(served: Served, opened: (Connection, Kept)): TlsSession = {
    roundTrip(served, opened, "hello".getBytes)
    val session = on(served.loop)(opened._1.tlsSession).getOrElse(fail("no session"))
    on(served.loop)(opened._1.close())
    session
  }

  def config: TlsServerConfig = TlsServerConfig(Seq(local))

  /** A time in UTC, in the form of certificates. */
  def inSeconds(count: Int): String = {
    val process = new ProcessBuilder("date", "-u", "-d", s"$count seconds", "+%Y%m%d%H%M%SZ").start()
    new java.io.BufferedReader(new java.io.InputStreamReader(process.getInputStream)).readLine()
  }

  /** Connects by the program `openssl`. Returns whether a session was resumed. */
  def openSslClient(port: Int, arguments: Seq[String]): Boolean = {
    val (input, output) = (authority.file("input"), authority.file("output"))
    Files.write(input, "hello".getBytes)
    val command = Seq("openssl", "s_client", "-connect", s"127.0.0.1:$port", "-ign_eof") ++ arguments
    val process = new ProcessBuilder(command*).redirectErrorStream(true)
      .redirectInput(input.toFile).redirectOutput(output.toFile).start()
    process.waitFor()
    val text = new String(Files.readAllBytes(output), ISO_8859_1)
    if (!text.contains("Cipher is TLS_") && !text.contains("Cipher is ECDHE")) throw new IOException(text)
    text.contains("Reused, TLS")
  }

  /** A server that answers with what comes, and ends; before that it runs `also`, on its loop. */
  def answering[A](config: TlsServerConfig, also: Connection => Unit = _ => ())(body: Int => A): A =
    withLoop { loop =>
      val identity = Tls.server(config)
      val listener = Listener.bind(
        anyPort,
        loop,
        ListenOptions(),
        _.start(loop, ConnectionOptions(), identity) { c =>
          new Recorder(new Events) {
            override def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
              also(c)
              c.write(bytes, from, until - from)
              c.closeGracefully(1000000000L, 1024)
              until
            }
          }
        }
      )
      body(portOf(listener))
    }
}
