package needletail.gateway

import java.net.{InetSocketAddress, Socket}

import needletail.gateway.format.scgi.Scgi
import needletail.gateway.serve.GatewayConfig
import needletail.http.text.ByteWriter

import scala.concurrent.Await
import scala.concurrent.duration._

/** SCGI over sockets. */
class ScgiServerSuite extends Serving {

  private final class Client(port: Int) {
    val socket = new Socket()
    socket.connect(new InetSocketAddress("127.0.0.1", port), 20000)
    socket.setSoTimeout(20000)
    socket.setTcpNoDelay(true)

    def send(bytes: Array[Byte]): this.type = {
      socket.getOutputStream.write(bytes)
      this
    }

    def all(): Answer = {
      val got    = new java.io.ByteArrayOutputStream
      val buffer = new Array[Byte](8192)
      var n      = socket.getInputStream.read(buffer)
      while (n >= 0) {
        got.write(buffer, 0, n)
        n = socket.getInputStream.read(buffer)
      }
      socket.close()
      Answer(got.toString("ISO-8859-1"), "", 0, 0)
    }
  }

  private def request(pairs: Seq[(String, String)], content: String = ""): Array[Byte] = {
    val w = new ByteWriter(256)
    Scgi.write(w, content.length.toLong, pairs)
    w.writeLatin1(content)
    java.util.Arrays.copyOf(w.bytes, w.length)
  }

  private def connected[A](config: GatewayConfig =
    GatewayConfig(server = base))(body: (() => Client) => A): A =
    serving(FrontProtocol.Scgi(_), config)(server => body(() => new Client(server.port)))

  test("a request and its answer, and the connection's end") {
    connected() { client =>
      assertEquals(
        client().send(request(get("/hello"))).all().out,
        "Status: 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n\r\nhello"
      )
      assertEquals(client().send(request(variables("POST", "/echo"), "some text")).all().content, "some text")
      assertEquals(client().send(request(get("/slow"))).all().content, "slow")
      assert(client().send(request(get("/nowhere"))).all().head.startsWith("Status: 404 Not Found\r\n"))
      assertEquals(client().send(request(variables("HEAD", "/hello"))).all().content, "")
    }
  }

  test("a request that comes byte by byte, and one with more behind it than its length") {
    connected() { client =>
      val rawBytes = client()
      for (byte <- request(variables("POST", "/length"), "abcdef")) rawBytes.send(Array(byte))
      assertEquals(rawBytes.all().content, "6")
      val longer = request(variables("POST", "/echo"), "abc") ++ Records.latin1("and more")
      assertEquals(client().send(longer).all().content, "abc")
    }
  }

  test("what handlers see: the client, and what the server was told to add") {
    connected(GatewayConfig(server = base, mount = Some("/app/"))) { client =>
      val pairs =
        get("/app/about", "REMOTE_ADDR" -> "192.0.2.1", "REMOTE_PORT" -> "99", "REMOTE_USER" -> "ann")
      assertEquals(
        client().send(request(pairs)).all().content,
        "GET /about host=example.test secure=false remote=192.0.2.1:99 local= script=/app user=ann"
      )
    }
  }

  test("large content both ways") {
    connected() { client =>
      val text = new String(Serving.large, "ISO-8859-1")
      assert(client().send(request(variables("POST", "/echo"), text)).all().content == text)
    }
  }

  test("what is no SCGI is answered with 400") {
    connected() { client =>
      assert(client().send(
        Records.latin1("GET / HTTP/1.1\r\n\r\n")
      ).all().out.startsWith("Status: 400 Bad Request\r\n"))
      assertEquals(client().send(request(Nil)).all().content, "REQUEST_METHOD is missing")
    }
  }

  test("too many variables are answered with 431, as configured and beyond 60 KiB") {
    def refused(answer: Answer): Unit =
      assert(answer.out.startsWith("Status: 431 Request Header Fields Too Large\r\n"), answer.out)
    connected(GatewayConfig(server = base, maxVariables = 1000)) { client =>
      assertEquals(client().send(request(get("/hello"))).all().content, "hello")
      refused(client().send(request(get("/hello", "HTTP_X" -> "x" * 1000))).all())
      refused(client().send(Records.latin1("99999999:")).all())
      refused(client().send(Records.latin1("999999999999:")).all())
    }
    connected() { client =>
      assertEquals(client().send(request(get("/hello", "HTTP_X" -> "x" * 7000))).all().content, "hello")
      refused(client().send(Records.latin1("61441:")).all())
    }
  }

  test("a head that does not come in time is given up, and content that ends early is an error") {
    connected(GatewayConfig(server = base.copy(headTimeout = 100.millis))) { client =>
      assert(
        client().send(Records.latin1("70:CONTENT")).all().out.startsWith("Status: 408 Request Timeout\r\n")
      )
      val short = client()
      short.send(request(variables("POST", "/length"), "abc").dropRight(1))
      short.socket.shutdownOutput()
      assertEquals(short.all().content, "the request ended before its body did")
    }
  }

  test("a server that goes away cancels what is under way") {
    connected() { client =>
      for (asked <- Seq(request(get("/wait")), request(variables("POST", "/wait"), "not read"))) {
        val (before, there) = (cancelled.get, awaited.get)
        val gone            = client().send(asked)
        eventually(awaited.get == there + 1)
        gone.socket.close()
        eventually(cancelled.get == before + 1)
      }
    }
  }

  test("a server that ends its side gets what was under way, also where content is read later") {
    connected(GatewayConfig(server = base.copy(halfCloseGrace = 20.seconds))) { client =>
      val later = client().send(request(variables("POST", "/later"), "abc"))
      later.socket.shutdownOutput()
      assertEquals(later.all().content, "3")
    }
  }

  test("fault 19: streams that wait end when a drain begins") {
    serving(FrontProtocol.Scgi(_)) { server =>
      val clients =
        List("/events", "/until-drain").map(path => new Client(server.port).send(request(get(path))))
      val begun   = clients.map(_.socket.getInputStream.read().toChar)
      val gone    = server.drain()
      val answers = begun.zip(clients.map(_.all())).map { case (first, rest) =>
        rest.copy(out = s"$first${rest.out}")
      }
      assertEquals(answers.map(_.content), List("data: 1\n\n", "first"))
      Await.result(gone, 10.seconds) // and not when drainTimeout is over
    }
  }
}
