package needletail.websocket

import scala.concurrent.{Await, Future, Promise}
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise, Cancelled}
import needletail.client.Proxies
import needletail.client.tunnel.TestProxy
import needletail.http.Headers
import needletail.routing._
import needletail.server.{RawClient, RunningServer, ServerFixture}
import needletail.stream.Stream
import needletail.testing.Suite

/** Servers and clients over sockets. */
class WebSocketSuite extends Suite {
  private val deflate = Some(PerMessageDeflate(minSize = 0))
  private val group   = new Broadcast

  /** A stream that never has anything; `ended` says that it was cancelled. */
  private val ended  = new java.util.concurrent.atomic.AtomicBoolean
  private def silent = new Stream[Message] {
    private val never                  = new AsyncPromise[Option[Message]]
    def next(): Async[Option[Message]] = never
    def cancel(): Unit                 = { ended.set(true); never.fail(new Cancelled); () }
  }

  private val large   = new Array[Byte](100000)
  private val sent    = new java.util.concurrent.atomic.AtomicInteger
  private val refused = new java.util.concurrent.atomic.AtomicInteger

  private val routes = Routes(
    GET / "echo" to webSocket { socket => message => socket ! message },
    GET / "packed" to webSocket.withConfig(WebSocketConfig(compression = deflate, maxMessage = 100000)) {
      socket => message =>
        socket ! message
    },
    GET / "room" / arg[String] to (room =>
      webSocket { socket => message => socket ! Message.Text(room + message.text) }
    ),
    GET / "upper" to webSocket.stream(in => in.map(m => Message.Text(m.text.toUpperCase))),
    GET / "count" to webSocket.stream(_ => Stream(1 to 1000: _*).map(n => Message.Text(n.toString))),
    GET / "push" to webSocket.stream(_ => silent),
    GET / "outside" to webSocket.withConfig(WebSocketConfig(maxPendingOutput = 1000000)) { socket => _ =>
      new Thread(() =>
        while (refused.get == 0) if (socket.send(large)) sent.incrementAndGet() else refused.incrementAndGet()
      )
        .start()
    },
    GET / "chat" to webSocket { socket =>
      group.join(socket)
      message => group.send(message)
    },
    GET / "sub" to webSocket.withConfig(WebSocketConfig(subprotocols = Seq("b", "a"))) { socket =>
      socket.send(socket.subprotocol.toString)
      _ => ()
    }
  )

  /** What a WebSocket receives. */
  private final class Inbox extends WebSocketListener {
    private var messages = Vector.empty[Message]
    private val ended    = Promise[Int]()

    def onMessage(message: Message): Unit                 = synchronized { messages :+= message }
    override def onClose(code: Int, reason: String): Unit = { ended.trySuccess(code); () }
    def all: Vector[Message]                              = synchronized(messages)
    def closed: Int                                       = Await.result(ended.future, 20.seconds)
    def expect(count: Int): Vector[Message]               = {
      eventually(all.size >= count)
      all
    }
  }

  private def serving(body: (RunningServer, WebSocketClient) => Unit): Unit =
    ServerFixture.serving(routes) { server =>
      val config = WebSocketClientConfig(WebSocketConfig(compression = deflate, subprotocols = Seq("a", "b")))
      val client = WebSocketClient(config)
      try body(server, client)
      finally client.close()
    }

  private def open(server: RunningServer, client: WebSocketClient, path: String): (WebSocket, Inbox) = {
    val inbox = new Inbox
    (wait(client.future(s"ws://127.0.0.1:${server.port}$path")(_ => inbox)), inbox)
  }
  private def wait[A](future: Future[A]): A = Await.result(future, 20.seconds)

  private def on(socket: WebSocket)(body: => Any): Unit = socket.loop.execute { () => body; () }

  test("messages of all sizes come back, with and without compression") {
    serving { (server, client) =>
      for (path <- Seq("/echo", "/packed")) {
        val (socket, inbox) = open(server, client, path)
        val messages        = Vector(0, 1, 125, 126, 65535, 65536, 100000).flatMap { n =>
          Vector(Message.Text("ü" * (n / 2)), Message.Binary(Array.tabulate(n)(i => (i * i).toByte)))
        }
        on(socket)(messages.foreach(m => socket ! m))
        assertEquals(inbox.expect(messages.size), messages)
        on(socket)(socket.close(4001))
        assertEquals(inbox.closed, 4001)
      }
    }
  }

  test("other threads than the loop's may send, in their order, and close") {
    serving { (server, client) =>
      for (round <- 1 to 20) {
        val (socket, inbox) = open(server, client, "/echo")
        for (n <- 1 to 50) assert(socket.send(s"$round $n"))
        assertEquals(inbox.expect(50).map(_.text), (1 to 50).map(n => s"$round $n").toVector)
        assert(socket.ping(Array[Byte](1)))
        socket.close(4002)
        assertEquals(inbox.closed, 4002)
        assert(!socket.send("late"))
      }
    }
  }

  test(
    "a thread that does not wait is told when too much is pending, and a handler's socket may be used elsewhere"
  ) {
    serving { (server, client) =>
      val (socket, inbox) = open(server, client, "/outside")
      socket ! "start"
      eventually(refused.get > 0, "everything was taken")
      val taken = sent.get
      assertEquals(inbox.expect(taken).map(_.bytes.length).distinct, Vector(100000))
      socket.close()
      assertEquals(inbox.closed, 1000)
      val _ = intercept[IllegalStateException](wait(socket.whenWritable.toFuture))
    }
  }

  test("the answer to a close frame is read though messages of other threads were under way") {
    serving { (server, client) =>
      val (socket, inbox) = open(server, client, "/echo")
      on(socket) {
        val sender = new Thread(() => for (_ <- 1 to 8) assert(socket.send(large)))
        sender.start()
        sender.join()
        socket.close(4003)
      }
      assertEquals(inbox.closed, 4003)
    }
  }

  test("short messages that a blocked loop cannot take are bounded, too") {
    serving { (server, client) =>
      val (socket, inbox) = open(server, client, "/echo")
      val blocked         = new java.util.concurrent.CountDownLatch(1)
      on(socket)(blocked.await())
      var taken = 0
      try while (taken < 1000000 && socket.send("")) taken += 1
      finally blocked.countDown()
      assert(taken > 1000 && taken < 1000000, taken)
      inbox.expect(taken)
      socket.close()
      assertEquals(inbox.closed, 1000)
    }
  }

  test("a route's values reach the WebSocket") {
    serving { (server, client) =>
      val (socket, inbox) = open(server, client, "/room/blue")
      on(socket)(socket.send("!"))
      assertEquals(inbox.expect(1).map(_.text), Vector("blue!"))
    }
  }

  test("streams of messages, in both directions and in one") {
    serving { (server, client) =>
      val (socket, inbox) = open(server, client, "/upper")
      on(socket)((1 to 100).foreach(n => socket.send(s"a$n")))
      assertEquals(inbox.expect(100).map(_.text), (1 to 100).map(n => s"A$n").toVector)
      on(socket)(socket.close())
      assertEquals(inbox.closed, 1000)
      val (_, counted) = open(server, client, "/count")
      assertEquals(counted.closed, 1000)
      assertEquals(counted.all.map(_.text.toInt), (1 to 1000).toVector)
    }
  }

  test("a stream that is made without reading the received one ends when the peer closes") {
    serving { (server, client) =>
      val (socket, inbox) = open(server, client, "/push")
      on(socket)(socket.close(4001))
      assertEquals(inbox.closed, 4001)
      eventually(ended.get)
    }
  }

  test("a broadcast reaches all members, on all connections, in order, until they leave") {
    serving { (server, client) =>
      val some = Vector.fill(5)(open(server, client, "/chat"))
      eventually(group.size == 5)
      for (n <- 1 to 20) on(some.head._1)(some.head._1.send(n.toString))
      some.foreach { case (_, inbox) => assertEquals(inbox.expect(20).map(_.text.toInt), (1 to 20).toVector) }
      on(some.head._1)(some.head._1.close())
      eventually(group.size == 4)
      group.send(Message.Text("left"))
      // from this thread, a text, bytes and a message are sent in their order
      group.send("text")
      group ! "more"
      group.send(Array[Byte](1))
      group ! Array[Byte](2)
      group ! Message.Text("end")
      val last = Vector("left", "text", "more").map(Message.Text(_)) ++
        Vector(1, 2).map(n => Message.Binary(Array(n.toByte))) :+ Message.Text("end")
      some.tail.foreach { case (_, inbox) => assertEquals(inbox.expect(26).drop(20), last) }
    }
    eventually(group.size == 0)
  }

  test("subprotocols are agreed on by the server's preference") {
    serving { (server, client) =>
      val (socket, inbox) = open(server, client, "/sub")
      assertEquals(inbox.expect(1).map(_.text), Vector("Some(b)"))
      assertEquals(socket.subprotocol, Some("b"))
    }
  }

  test("a server that drains says 1001 to each WebSocket, and ends when they have answered") {
    serving { (server, client) =>
      val some = Vector.fill(3)(open(server, client, "/echo"))
      val over = server.drain()
      some.foreach { case (_, inbox) => assertEquals(inbox.closed, 1001) }
      wait(over)
    }
  }

  test("a request that opens none gets a status, and so does a client") {
    serving { (server, client) =>
      val raw = new RawClient(server.port)
      raw.send("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n")
      assert(raw.readUntil("\r\n").startsWith("HTTP/1.1 426"))
      raw.close()
      def refused(path: String, headers: Headers = Headers.empty) =
        wait(client.future(s"ws://127.0.0.1:${server.port}$path", headers)(_ => new Inbox).failed) match {
          case e: WebSocketRefused =>
            val url = s"ws://127.0.0.1:${server.port}${path.takeWhile(_ != '?')}"
            assertEquals(e.getMessage, s"$url: the server answered ${e.status}")
            e.status
          case e => throw e
        }
      assertEquals(refused("/nowhere?key=secret"), 404)
      assertEquals(refused("/echo", Headers("Origin" -> "http://evil.example")), 403)
    }
  }

  test("a compressed message that becomes too large is refused while it grows") {
    serving { (server, client) =>
      val (socket, inbox) = open(server, client, "/packed")
      on(socket)(socket.send(new Array[Byte](100 * 1000 * 1000)))
      assertEquals(inbox.closed, 1009)
    }
  }

  test("a client skips interim answers, wherever the bytes are split") {
    val answers = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"
    for (piece <- List(1000, 60, 1)) {
      val listener = new java.net.ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress)
      val server   = new Thread(() => {
        val peer = listener.accept()
        peer.setTcpNoDelay(true)
        val read = new StringBuilder
        while (!read.endsWith("\r\n\r\n")) read += peer.getInputStream.read().toChar
        val key    = read.toString.linesIterator.find(_.startsWith("Sec-WebSocket-Key: ")).get.drop(19)
        val answer = s"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
          s"Sec-WebSocket-Accept: ${handshake.Handshake.acceptOf(key)}\r\n\r\n\u0081\u0005hello"
        (answers + answer).getBytes("ISO-8859-1").grouped(piece).foreach(peer.getOutputStream.write)
        peer.getInputStream.read() // the close frame of the client
        peer.close()
      })
      server.start()
      val client = WebSocketClient(WebSocketClientConfig(connectTimeout = 20.seconds))
      try {
        val inbox  = new Inbox
        val socket = wait(client.future(s"ws://127.0.0.1:${listener.getLocalPort}/")(_ => inbox))
        assertEquals(inbox.expect(1), Vector[Message](Message.Text("hello")))
        on(socket)(socket.close())
      } finally client.close()
      server.join(20000)
      listener.close()
    }
  }

  test("failures of a handshake name the URL, without its query") {

    /** The failure of a client whose server writes this, and then waits or closes. */
    def failure(answer: String, closes: Boolean): (Int, String) = {
      val listener = new java.net.ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress)
      val server   = new Thread(() =>
        try {
          val peer = listener.accept()
          val read = new StringBuilder
          while (!read.endsWith("\r\n\r\n")) read += peer.getInputStream.read().toChar
          peer.getOutputStream.write(answer.getBytes("ISO-8859-1"))
          if (closes) peer.shutdownOutput()
          while (peer.getInputStream.read() >= 0) ()
          peer.close()
        } catch { case _: java.io.IOException => () } // the client has reset it
      )
      server.start()
      val client =
        WebSocketClient(WebSocketClientConfig(connectTimeout = 20.seconds, handshakeTimeout = 500.millis))
      try {
        val url = s"ws://127.0.0.1:${listener.getLocalPort}/x?token=secret"
        (
          listener.getLocalPort,
          intercept[java.io.IOException](wait(client.future(url)(_ => new Inbox))).getMessage
        )
      } finally {
        client.close()
        server.join(20000)
        listener.close()
      }
    }
    val cases = Seq(
      ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, "the server answered 200"),
      ("HTTP/1.1 abc\r\n\r\n", false, "the server's response is malformed: "),
      ("HTTP/1.1 102 Processing\r\n\r\n" * 17, false, "the server sent more than 16 interim answers"),
      ("HTTP/1.1 101 ", true, "the server ended the connection before its answer was complete"),
      ("HTTP/1.1 101 ", false, "the server did not answer in time")
    )
    for ((answer, closes, expected) <- cases) {
      val (port, message) = failure(answer, closes)
      assert(message.startsWith(s"ws://127.0.0.1:$port/x: $expected"), message)
      assert(!message.contains("secret"), message)
    }
  }

  test("a client does not read interim answers without end") {
    val listener = new java.net.ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress)
    val server   = new Thread(() => {
      val peer = listener.accept()
      peer.getOutputStream.write(("HTTP/1.1 102 Processing\r\n\r\n" * 17).getBytes("ISO-8859-1"))
      try while (peer.getInputStream.read() >= 0) ()
      catch { case _: java.io.IOException => () } // the client has reset it
      peer.close()
    })
    server.start()
    val client =
      WebSocketClient(WebSocketClientConfig(connectTimeout = 20.seconds, handshakeTimeout = 1.minute))
    try {
      val refused = intercept[WebSocketRefused](
        wait(client.future(s"ws://127.0.0.1:${listener.getLocalPort}/")(_ => new Inbox))
      )
      assert(refused.getMessage.contains("more than 16 interim answers"), refused.getMessage)
    } finally client.close()
    listener.close()
  }

  test("a client goes through a proxy's tunnel; without one it is refused with the proxy's status") {
    val proxy = new TestProxy(credentials = true)
    try
      serving { (server, _) =>
        def asking(url: String) = {
          val client =
            WebSocketClient(WebSocketClientConfig(proxies = Proxies.all(url), connectTimeout = 20.seconds))
          val inbox                                        = new Inbox
          def opened(socket: WebSocket): WebSocketListener = {
            socket ! "hello"
            inbox
          }
          try {
            Await.result(client.future(s"ws://127.0.0.1:${server.port}/echo")(opened), 20.seconds)
            inbox.expect(1)
          } finally client.close()
        }
        assertEquals(asking(proxy.url), Vector[Message](Message.Text("hello")))
        assert(proxy.request.startsWith(s"CONNECT 127.0.0.1:${server.port} HTTP/1.1\r\n"), proxy.request)
        val refused = intercept[WebSocketRefused](asking(s"http://127.0.0.1:${proxy.port}"))
        assertEquals(refused.status, 407)
      }
    finally proxy.close()
  }
}
