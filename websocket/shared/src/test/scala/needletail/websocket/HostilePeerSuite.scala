package needletail.websocket

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.http.text.ByteWriter
import needletail.routing._
import needletail.server.{RawClient, RunningServer, ServerFixture}
import needletail.testing.Suite
import needletail.websocket.frame.Frames._
import needletail.websocket.frame.{CountedMemory, FrameReader}

/** What a peer may do over a socket to harm a server: it is answered or ended, and the server goes on. */
class HostilePeerSuite extends Suite {
  private val config = WebSocketConfig(maxMessage = 100000, closeTimeout = 300.millis)
  private val group  = new Broadcast
  private val routes = Routes(
    GET / "echo" to webSocket.withConfig(config)(socket => message => socket ! message),
    GET / "large" to webSocket.withConfig(config.copy(maxPendingOutput = 1000)) { socket => message =>
      socket ! (if (message.text == "go") new Array[Byte](12 << 20) else Array[Byte](1))
    },
    POST / "held" + request to (r => r.body.bytes.map(_ => Response.ok)),
    GET / "cast" to webSocket.withConfig(config.copy(pingInterval = 0.seconds, maxPendingOutput = 1 << 30)) {
      socket =>
        group.join(socket)
        _ => ()
    },
    GET / "ends" to webSocket.withConfig(config) { socket =>
      socket.close(4000)
      _ => ()
    }
  )

  private val handshake = "Host: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

  private final class Peer(port: Int, path: String = "/echo") {
    val client = new RawClient(port)
    client.send(s"GET $path HTTP/1.1\r\n$handshake").readUntil("\r\n\r\n")

    def send(data: Array[Byte]): this.type = { client.socket.getOutputStream.write(data); this }

    /** All frames until the server ends the connection. */
    def frames(): Vector[String] = {
      val bytes = client.readAll().getBytes("ISO-8859-1")
      client.close()
      found(new FrameReader(false, 1 << 24, Long.MaxValue, new CountedMemory), bytes, Seq(bytes.length))
    }
  }

  private def serving(body: RunningServer => Unit): Unit =
    ServerFixture.serving(routes, ServerFixture.loopback) { server =>
      body(server)
      assertEquals(
        new Peer(server.port).send(text("on")).send(close(1000)).frames(),
        Vector("text on", "close 1000 ")
      )
      eventually(Await.result(server.statistics, 20.seconds).connectionsOpen == 0)
    }

  private def many(count: Int)(one: Array[Byte]): Array[Byte] = {
    val w = new ByteWriter(count * one.length)
    for (_ <- 1 to count) w.write(one)
    w.taken
  }

  test("floods of pings, of pongs, of tiny fragments, and of empty ones") {
    serving { server =>
      val pings = new Peer(server.port).send(many(5000)(frame(0x89, bytes('p')))).send(close(1000)).frames()
      assertEquals(pings.count(_ == "pong p"), 5000)
      assertEquals(
        new Peer(server.port).send(many(5000)(frame(0x8a, bytes()))).send(close(1000)).frames(),
        Vector("close 1000 ")
      )
      val tiny = new Peer(server.port).send(frame(0x01, bytes()))
        .send(many(20000)(frame(0x00, bytes('x')) ++ frame(0x00, bytes())))
        .send(frame(0x80, bytes()) ++ close(1000)).frames()
      assertEquals(tiny, Vector("text " + "x" * 20000, "close 1000 "))
      val endless =
        new Peer(server.port).send(frame(0x01, bytes())).send(many(100001)(frame(0x00, bytes('x')))).frames()
      assertEquals(endless.map(_.take(10)), Vector("close 1009"))
    }
  }

  test("a flood of pings whose answers nobody reads stops to be read, and ends") {
    ServerFixture.serving(routes, ServerFixture.loopback.copy(writeTimeout = 300.millis)) { server =>
      val peer  = new Peer(server.port)
      val flood = many(1000)(frame(0x89, new Array[Byte](125)))
      var n     = 0
      try
        while (n < 2000) { // 260 MB
          peer.send(flood)
          n += 1
        }
      catch { case _: java.io.IOException => () }
      assert(n < 2000)
      eventually(Await.result(server.statistics, 20.seconds).connectionsOpen == 0)
      peer.client.close()
    }
  }

  test("a member of a broadcast that reads nothing ends, although nothing else is sent to it") {
    ServerFixture.serving(routes, ServerFixture.loopback.copy(writeTimeout = 300.millis)) { server =>
      val peer = new Peer(server.port, "/cast")
      eventually(group.size == 1)
      group.send(new Array[Byte](32 << 20))
      eventually(Await.result(server.statistics, 20.seconds).connectionsOpen == 0)
      peer.client.close()
    }
  }

  test("messages that are read while memory is short are answered, or the WebSocket ends with 1013") {
    val config = ServerFixture.loopback.copy(memoryBudget = 256 * 1024)
    ServerFixture.serving(routes, config) { server =>
      val held = "POST /held HTTP/1.1\r\nHost: a\r\nContent-Length: 15000\r\n\r\n" + "x" * 14999
      def read = Await.result(server.statistics, 20.seconds).bytesRead

      /** Whether it has ended. Otherwise the loop has read "go" alone, and what is behind it waited in the kernel. */
      def ends(): Boolean = {
        val before = read
        val bodies =
          Seq.fill(8)(new RawClient(server.port).send(held)) // until they are given up, after a second
        eventually(read == before + 8L * held.length, read)
        val peer = new Peer(server.port, "/large")
        peer.send(text("go") ++ many(400)(text("x" * 100)) ++ close(1000))
        val got = peer.client.readAll()
        peer.client.close()
        val answers = "\u0082\u0001\u0001" * 400 + "\u0088\u0002\u0003\u00e8"
        val isShort = got.endsWith("\u0003\u00f5memory is short")
        bodies.foreach(_.close())
        assert(isShort || got.endsWith(answers), got.takeRight(100))
        isShort
      }
      assert((1 to 20).exists(_ => ends()), "memory was never short")
    }
  }

  test("a peer that never answers a close frame, whether it is silent, talks, or has ended its output") {
    serving { server =>
      val silent = new Peer(server.port, "/ends")
      assertEquals(silent.frames(), Vector("close 4000 "))
      assertEquals(
        new Peer(server.port, "/ends").send(many(1000)(text("talk"))).frames(),
        Vector("close 4000 ")
      )
      val half = new Peer(server.port, "/ends")
      half.client.socket.shutdownOutput()
      assertEquals(half.frames(), Vector("close 4000 "))
    }
  }

  test("a peer that ends its output gets what is on its way, within a message or not") {
    serving { server =>
      for (data <- Seq(text("a"), text("a") ++ frame(0x01, bytes('b')), text("a") ++ text("b").take(3))) {
        val peer = new Peer(server.port).send(data)
        peer.client.socket.shutdownOutput()
        assertEquals(peer.frames(), Vector("text a"))
      }
      val reset = new Peer(server.port).send(frame(0x01, bytes('b')))
      reset.client.socket.setSoLinger(true, 0)
      reset.client.close()
    }
  }

  test("close frames of one byte, with codes that may not be sent, and lengths up to 2^64 - 1") {
    serving { server =>
      val wrong = Vector(
        frame(0x88, bytes(3)),
        close(0),
        close(999),
        close(1005),
        close(1006),
        close(1015),
        close(2999),
        close(65535),
        head(0x82, 0xff, 8, 1L << 63),
        head(0x82, 0xff, 8, -1),
        head(0x82, 0xff, 8, 10)
      )
      for (data <- wrong)
        assertEquals(
          new Peer(server.port).send(data).frames().map(_.take(10)),
          Vector("close 1002"),
          data.toSeq.toString
        )
      for (length <- Seq(Long.MaxValue, 1L << 32, 100001L))
        assertEquals(
          new Peer(server.port).send(head(0x82, 0xff, 8, length)).frames().map(_.take(10)),
          Vector("close 1009")
        )
    }
  }
}
