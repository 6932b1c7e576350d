package needletail.io.tls

import java.io.IOException
import java.net.Socket
import java.util.concurrent.TimeUnit

import scala.concurrent.duration.*

import needletail.io.{Connection, ConnectionHandler, EventLoop, Listener, Tls}
import needletail.io.platform.{ConnectionOptions, ListenOptions}

/** Fault 3, on both platforms: peers that do not read, or do not go on with their handshake. */
class TlsDeafPeerSuite extends MemoryPair {

  /** `openssl s_client` with TLS 1.3 behind a proxy. A line `K` makes it use new keys, and ask for some. */
  private final class Peer(port: Int) {
    val proxy           = new DeafProxy(port)
    private val output  = temporaryDirectory().resolve("output")
    private val command = Seq("openssl", "s_client", "-tls1_3", "-connect", s"127.0.0.1:${proxy.port}")
    private val process =
      new ProcessBuilder(command*).redirectErrorStream(true).redirectOutput(output.toFile).start()

    /** Sends that line, which is on its way to the server when this returns. */
    def say(line: String): Unit = {
      val before = proxy.forwarded
      process.getOutputStream.write(s"$line\n".getBytes)
      process.getOutputStream.flush()
      eventually(proxy.forwarded > before, s"'$line' is not sent")
    }

    /** Sends it unless the connection has ended. */
    def offer(line: String): Unit =
      try {
        process.getOutputStream.write(s"$line\n".getBytes)
        process.getOutputStream.flush()
      } catch { case _: IOException => () }

    def close(): Unit = {
      process.destroy()
      if (!process.waitFor(10, TimeUnit.SECONDS)) process.destroyForcibly()
      proxy.close()
    }
  }

  private def bound(
      loop: EventLoop,
      options: ConnectionOptions
  )(handler: Connection => ConnectionHandler): Int =
    portOf(Listener.bind(anyPort, loop, ListenOptions(), _.start(loop, options, Tls.server(config))(handler)))

  private def withPeer(options: ConnectionOptions = ConnectionOptions())(
      handler: (Connection, Events) => ConnectionHandler
  )(body: (EventLoop, Peer, Events) => Unit): Unit = withLoop { loop =>
    val events = new Events
    val peer   = new Peer(bound(loop, options)(handler(_, events)))
    try body(loop, peer, events)
    finally peer.close()
  }

  tlsTest("a handshake whose last output is owed is not over") {
    val (a, b) = (new End, new End)
    a.peer = b
    b.peer = a
    val client = trusting.over(a, "localhost", 443)
    val server = Tls.server(config).over(b, null)
    val room   = new Array[Byte](65536)
    try {
      for (_ <- 1 to 20 if !client.finishConnect()) server.read(room, 0, room.length)
      assert(client.finishConnect(), "the client's side is not over")
      b.room = 0 // for the tickets
      for (_ <- 1 to 3) assertEquals(server.read(room, 0, room.length), 0)
      assert(server.owesOutput, "it owes nothing")
      assert(server.isShakingHands && server.awaitedRecord > 0, "it has no time limit")
      b.room = Int.MaxValue
      server.sendOwed()
      assertEquals(server.read(room, 0, room.length), 0)
      assert(!server.isShakingHands && !server.owesOutput, "it is not over")
    } finally {
      client.close()
      server.close()
    }
  }

  tlsTest("a flood of key updates from a peer that does not read ends its connection, not the loop's work") {
    withPeer()((_, events) => new Recorder(events)) { (_, peer, events) =>
      peer.say("hello")
      events.expect("data hello\n")
      peer.proxy.deaf(true)
      // it may linger for some time, in which it only discards
      eventually({ if (events.isEmpty) peer.offer("K"); !events.isEmpty }, "it goes on")
      val end = events.next()
      assert(end.startsWith("closed by ") && end.contains("TLS messages without data"), end)
    }
  }

  tlsTest("a handshake that stalls has a time of its own, whatever the handler waits for") {
    withLoop { loop =>
      val events = new Events
      val port   = bound(loop, ConnectionOptions(handshakeNanos = 200.millis.toNanos)) { c =>
        c.deadline = loop.nowNanos + 1.hour.toNanos
        new Recorder(events)
      }
      val silent  = new Socket("127.0.0.1", port)
      val stalled = new Socket("127.0.0.1", port)
      stalled.getOutputStream.write(Array[Byte](22, 3, 1, 2, 0, 1))
      events.expect("closed by no TLS handshake within 200 ms", "closed by no TLS handshake within 200 ms")
      for (peer <- List(silent, stalled)) {
        peer.setSoTimeout(patience.toMillis.toInt)
        try while (peer.getInputStream.read() >= 0) () // perhaps an alert, then the end
        catch { case e: IOException => assert(!e.isInstanceOf[java.net.SocketTimeoutException], e) }
        peer.close()
      }
    }
  }

  for (isPeerDone <- Seq(false, true))
    tlsTest(
      "the end of the stream is told though the network took no more for the moment" +
        (if (isPeerDone) ", to a peer that has ended its own" else "")
    ) {
      connected { (end, client, server) =>
        val bytes = new Array[Byte](1000)
        def read(socket: needletail.io.platform.Socket)
            : Int = // a read may return nothing for a part of what is there
          (1 to 5).map(_ => socket.read(bytes, 0, bytes.length)).find(_ != 0).getOrElse(0)
        if (isPeerDone) {
          client.shutdownOutput()
          assertEquals(read(server), -1)
        }
        assertEquals(read(client), 0) // tickets for later sessions
        end.peer.room = 0
        server.shutdownOutput()
        assert(server.owesOutput, "nothing is owed")
        assertEquals(read(client), 0)
        server.sendOwed()
        assert(server.owesOutput, "nothing is owed any more")
        end.peer.room = Int.MaxValue
        server.sendOwed()
        assert(!server.owesOutput, "it is owed still")
        assertEquals(read(client), -1)
      }
    }
}
