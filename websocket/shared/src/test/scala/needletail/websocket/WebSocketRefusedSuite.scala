package needletail.websocket

import java.net.{InetAddress, ServerSocket}
import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.testing.Suite

/** What a client is told by a server that opens no WebSocket. */
class WebSocketRefusedSuite extends Suite {

  /** The failure of a client whose server writes this, and then ends its side or waits. */
  private def refused(answer: String, ends: Boolean = false, patience: FiniteDuration = 20.seconds) = {
    val listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress)
    val server   = new Thread(() =>
      try {
        val peer = listener.accept()
        val read = new StringBuilder
        var byte = 0
        while (byte >= 0 && !read.endsWith("\r\n\r\n")) {
          byte = peer.getInputStream.read()
          read += byte.toChar
        }
        peer.getOutputStream.write(answer.getBytes(ISO_8859_1))
        if (ends) peer.shutdownOutput()
        while (peer.getInputStream.read() >= 0) ()
        peer.close()
      } catch { case _: java.io.IOException => () } // the client has reset it
    )
    server.start()
    val client =
      WebSocketClient(WebSocketClientConfig(connectTimeout = 20.seconds, handshakeTimeout = patience))
    try
      intercept[WebSocketRefused] {
        val opened = client.future(s"ws://127.0.0.1:${listener.getLocalPort}/")(_ => (_: Message) => ())
        Await.result(opened, 30.seconds)
      }
    finally {
      client.close()
      server.join(20000)
      listener.close()
    }
  }

  private def head(status: String, fields: String*): String =
    fields.map(_ + "\r\n").mkString(s"HTTP/1.1 $status\r\nRetry-After: 7\r\n", "", "\r\n")

  private def check(answer: String, body: String, ends: Boolean = false): Unit = {
    val e = refused(answer, ends)
    assertEquals((e.status, e.headers.get("Retry-After"), e.text), (503, Some("7"), body))
    assert(e.getMessage.endsWith("/: the server answered 503"), e.getMessage)
  }

  test("the status, the headers and the body of a refusal, in each framing") {
    check(head("503 Busy", "Content-Length: 0"), "")
    check(head("503 Busy", "Content-Length: 4") + "busy and more", "busy")
    check(
      head("503 Busy", "Content-Length: 5", "Content-Type: text/plain; charset=iso-8859-1") + "b\u00fcsy!",
      "b\u00fcsy!"
    )
    check(head("503 Busy", "Transfer-Encoding: chunked") + "2\r\nbu\r\n2\r\nsy\r\n0\r\n\r\n", "busy")
    check(head("503 Busy") + "busy", "busy", ends = true)
    check("HTTP/1.1 103 Early Hints\r\n\r\n" + head("503 Busy", "Content-Length: 4") + "busy", "busy")
  }

  test("a body that is cut off, comes too late or is malformed is there as far as it came") {
    check(head("503 Busy", "Content-Length: 9") + "busy", "busy", ends = true)
    check(head("503 Busy", "Transfer-Encoding: chunked") + "4\r\nbusy\r\nno size\r\n", "busy")
    val late = refused(head("503 Busy", "Content-Length: 9") + "busy", patience = 500.millis)
    assertEquals((late.status, late.text), (503, "busy"))
  }

  test("a body without an end is there as far as it came within a second, long before handshakeTimeout") {
    for (framing <- Seq("Content-Length: 9", "Transfer-Encoding: chunked", "X-Length: none")) {
      val content = if (framing.endsWith("chunked")) "4\r\nbusy\r\n" else "busy"
      val begun   = System.nanoTime()
      val endless = refused(head("503 Busy", framing) + content, patience = 25.seconds)
      assertEquals((endless.status, endless.text), (503, "busy"))
      val seconds = (System.nanoTime() - begun) / 1000000000
      assert(seconds < 20, seconds)
    }
  }

  test("no more than 64 KiB of a body are read") {
    for (framing <- Seq("Content-Length: 5000000", "X-Length: none")) {
      val long = refused(head("403 Forbidden", framing) + "x" * 5000000)
      assertEquals((long.status, long.bytes.length), (403, 64 * 1024))
      assert(long.bytes.forall(_ == 'x'))
    }
  }

  test("an answer that only pretends to switch has its headers") {
    val e = refused(head("101 Switching Protocols", "Upgrade: chat", "Connection: Upgrade"))
    assertEquals((e.status, e.headers.get("Upgrade"), e.text), (101, Some("chat"), ""))
  }
}
