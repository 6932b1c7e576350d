package needletail.gateway

import java.net.{InetSocketAddress, Socket}

import needletail.gateway.format.fastcgi.{FastCgiRecord, FastCgiWriter}
import needletail.gateway.format.scgi.Scgi
import needletail.gateway.serve.GatewayConfig
import needletail.http.text.ByteWriter
import needletail.io.Address
import needletail.server.RunningServer
import needletail.server.config.AdminConfig

/** What is held for requests of a web server counts in the server's budget of memory, as it does over HTTP. */
class GatewayMemorySuite extends Serving {
  private val KiB    = 1024
  private val config = GatewayConfig(
    server = base.copy(loops = 1, memoryBudget = 256L * KiB, admin = Some(AdminConfig(0))),
    maxUnread = 64 * KiB
  )
  private val text = "x" * 60000

  private def refused(answer: Answer): Boolean = answer.out.startsWith("Status: 503 ")

  /** What the loop says it holds, in bytes. */
  private def held(server: RunningServer): Double = {
    val socket = server.adminAddress match {
      case Some(Address.Tcp(host, port)) => new Socket(host, port)
      case other                         => fail(s"listens on $other")
    }
    try {
      socket.getOutputStream.write(
        "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".getBytes
      )
      val text = new String(socket.getInputStream.readAllBytes(), "ISO-8859-1")
      text.linesIterator.filter(_.startsWith("needletail_held_bytes{")).map(_.split(' ').last.toDouble).sum
    } finally socket.close()
  }

  private def posting(server: RunningServer, path: String): Seq[FastCgiClient] = Seq.fill(12) {
    val client = new FastCgiClient(server.port)
    client.begin(1, variables("POST", path, "CONTENT_LENGTH" -> "60001")).content(1, text)
  }

  test("fault 6: FastCGI content that is collected takes no more than the budget") {
    serving(FrontProtocol.FastCgi(_), config) { server =>
      val clients = posting(server, "/length")
      // three have 60 kB each of the 192 KiB for large ones: the others are refused at once
      clients.drop(4).foreach(client => assert(refused(client.answer(1))))
      val other = new FastCgiClient(server.port)
      assertEquals(other.request(1, get("/hello")).answer(1).content, "hello")
      clients.foreach(_.close())
      eventually {
        val content = variables("POST", "/length", "CONTENT_LENGTH" -> "60000")
        other.request(2, content, text).answer(2).content == "60000"
      }
      other.close()
      eventually(held(server) == 0)
    }
  }

  test("fault 6: unread FastCGI content takes no more than the budget") {
    serving(FrontProtocol.FastCgi(_), config) { server =>
      val clients = posting(server, "/wait")
      eventually(held(server) > 100 * KiB)
      val other = new FastCgiClient(server.port)
      assertEquals(other.request(1, get("/hello")).answer(1).content, "hello") // all before it has been read
      assert(held(server) <= 256 * KiB, held(server).toString)
      other.close()
      clients.foreach(_.close())
      eventually(held(server) == 0)
    }
  }

  test("fault 6: variables that never end take no more than the budget") {
    serving(FrontProtocol.FastCgi(_), config.copy(maxVariables = 64 * KiB)) { server =>
      val clients = Seq.fill(12) {
        val client = new FastCgiClient(server.port)
        client.send { w =>
          FastCgiWriter.beginRequest(w, 1, FastCgiRecord.Responder, true)
          FastCgiWriter.stream(w, FastCgiRecord.Params, 1, Records.latin1(text), 0, text.length)
        }
      }
      val other = new FastCgiClient(server.port)
      eventually(other.request(1, get("/hello")).answer(1).content == "hello" && held(server) <= 256 * KiB)
      other.close()
      clients.foreach(_.close())
      eventually(held(server) == 0)
    }
  }

  test("variables of FastCGI requests whose handlers are at work take no more than the budget") {
    serving(FrontProtocol.FastCgi(_), config) { server =>
      val before  = awaited.get
      val clients = Seq.fill(20) {
        val client = new FastCgiClient(server.port)
        client.request(1, get("/wait", "HTTP_COOKIE" -> text.take(20000)))
      }
      val other = new FastCgiClient(server.port)
      eventually(other.request(1, get("/hello")).answer(1).content == "hello" && held(server) > 0)
      assert(held(server) <= 256 * KiB, held(server).toString)
      val begun = awaited.get - before
      assert(begun >= 1 && begun < 10, begun.toString)
      other.close()
      clients.foreach(_.close())
      eventually(held(server) == 0)
    }
  }

  test("variables of SCGI requests whose handlers are at work take no more than the budget") {
    serving(FrontProtocol.Scgi(_), config) { server =>
      val before                                              = awaited.get
      def connected(variables: Seq[(String, String)]): Socket = {
        val socket = new Socket()
        socket.connect(new InetSocketAddress("127.0.0.1", server.port), 20000)
        socket.setSoTimeout(20000)
        val w = new ByteWriter(256)
        Scgi.write(w, 0, variables)
        socket.getOutputStream.write(w.bytes, 0, w.length)
        socket
      }
      val sockets = Seq.fill(20)(connected(get("/wait", "HTTP_COOKIE" -> text.take(20000))))
      val other   = connected(get("/hello"))
      assert(new String(other.getInputStream.readAllBytes(), "ISO-8859-1").endsWith("hello"))
      val begun = awaited.get - before
      assert(begun >= 1 && begun < 10, begun.toString)
      assert(held(server) > 0 && held(server) <= 256 * KiB, held(server).toString)
      (other +: sockets).foreach(_.close())
      eventually(held(server) == 0)
    }
  }

  test("variables of SCGI requests do not count a second time in the share of heads") {
    def asked(server: RunningServer, path: String, cookie: Int): Socket = {
      val socket = new Socket()
      socket.connect(new InetSocketAddress("127.0.0.1", server.port), 20000)
      socket.setSoTimeout(20000)
      val w = new ByteWriter(256)
      Scgi.write(w, 0, get(path, "HTTP_COOKIE" -> text.take(cookie)))
      socket.getOutputStream.write(w.bytes, 0, w.length)
      socket
    }
    // a loop's share is 64 KiB, of which heads may take half: variables and head together do not fit in that
    serving(FrontProtocol.Scgi(_), config.copy(server = config.server.copy(loops = 4))) { server =>
      val socket = asked(server, "/hello", 20000)
      val answer = new String(socket.getInputStream.readAllBytes(), "ISO-8859-1")
      assert(answer.endsWith("hello"), answer)
      socket.close()
    }
    // three heads of 30 kB are in the 128 KiB for them, and with their variables in the 192 KiB for both
    serving(FrontProtocol.Scgi(_), config) { server =>
      val before  = awaited.get
      val sockets = Seq.fill(20)(asked(server, "/wait", 30000))
      sockets.drop(3).foreach { socket =>
        val answer = new String(socket.getInputStream.readAllBytes(), "ISO-8859-1")
        assert(answer.startsWith("Status: 503 "), answer)
      }
      assertEquals(awaited.get - before, 3)
      assert(held(server) >= 180000 && held(server) <= 192 * KiB, held(server).toString)
      sockets.foreach(_.close())
      eventually(held(server) == 0)
    }
  }

  test("fault 6: SCGI content that is collected takes no more than the budget") {
    serving(FrontProtocol.Scgi(_), config) { server =>
      def connected(length: Int): Socket = {
        val socket = new Socket()
        socket.connect(new InetSocketAddress("127.0.0.1", server.port), 20000)
        socket.setSoTimeout(20000)
        val w = new ByteWriter(256)
        Scgi.write(w, length.toLong, variables("POST", "/length"))
        w.writeLatin1(text)
        socket.getOutputStream.write(w.bytes, 0, w.length)
        socket
      }
      def answer(socket: Socket): Answer = {
        val out = new String(socket.getInputStream.readAllBytes(), "ISO-8859-1")
        socket.close()
        Answer(out, "", 0, 0)
      }
      val sockets = Seq.fill(12)(connected(60001))
      sockets.drop(4).foreach(socket => assert(refused(answer(socket))))
      sockets.take(4).foreach(_.close())
      eventually(answer(connected(60000)).content == "60000")
    }
  }
}
