package needletail.websocket

import java.io.IOException
import java.net.{InetAddress, InetSocketAddress, ServerSocket, Socket}

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.testing.{Pause, Suite}

/** Servers that read slowly what a client sends, or that stop. */
class SlowServerSuite extends Suite {
  private val Size = 24 << 20

  /** What a server gets that opens a WebSocket and reads by `reading`; the client sends `Size` bytes by `sends`. */
  private def received(timeout: FiniteDuration)(sends: WebSocket => Unit)(reading: Reader => Unit): Long = {
    val listener = new ServerSocket()
    listener.setReceiveBufferSize(64 * 1024)
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress, 0))
    val config = WebSocketConfig(
      maxPendingOutput = 2 * Size,
      pingInterval = Duration.Zero,
      closeTimeout = 300.millis
    )
    val client = WebSocketClient(WebSocketClientConfig(webSocket = config, writeTimeout = timeout))
    try {
      val opened = client.future(s"ws://127.0.0.1:${listener.getLocalPort}/") { socket =>
        for (_ <- 1 to Size >> 20) socket.send(new Array[Byte](1 << 20))
        sends(socket)
        _ => ()
      }
      val peer = listener.accept()
      try {
        val reader = new Reader(peer)
        reader.answer()
        Await.result(opened, 20.seconds)
        reading(reader)
        reader.readAll()
      } finally peer.close()
    } finally {
      client.close()
      listener.close()
    }
  }

  private final class Reader(peer: Socket) {
    peer.setSoTimeout(20000)
    private val buffer = new Array[Byte](64 * 1024)
    private var count  = 0L

    def answer(): Unit = {
      val head = new StringBuilder
      while (!head.endsWith("\r\n\r\n")) head += peer.getInputStream.read().toChar
      val key    = head.toString.linesIterator.find(_.startsWith("Sec-WebSocket-Key: ")).get.drop(19)
      val answer = s"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
        s"Sec-WebSocket-Accept: ${handshake.Handshake.acceptOf(key)}\r\n\r\n"
      peer.getOutputStream.write(answer.getBytes("ISO-8859-1"))
    }

    /** A little at a time: less than the kernel would report room for. */
    def readSlowly(time: FiniteDuration): Unit = {
      val end = System.nanoTime() + time.toNanos
      while (System.nanoTime() < end) {
        count += Math.max(peer.getInputStream.read(buffer, 0, 4000), 0)
        Pause(20.millis)
      }
    }

    /** Reads on until all has come or the connection has ended. Returns how many bytes have come in all. */
    def readAll(): Long = {
      var n = 0
      while (n >= 0 && count < Size) {
        n =
          try peer.getInputStream.read(buffer)
          catch { case _: IOException => -1 }
        if (n > 0) count += n
      }
      count
    }
  }

  test("a server that reads slowly gets everything, however long it takes") {
    assert(received(2.seconds)(_ => ())(_.readSlowly(4500.millis)) >= Size)
  }

  test("a server that stops reading is cut off, also while the WebSocket closes") {
    val got = received(1.second)(_.close()) { reader =>
      reader.readSlowly(1300.millis) // it has read something when that is first checked
      Pause(6.seconds)
    }
    assert(got < Size, got)
  }
}
