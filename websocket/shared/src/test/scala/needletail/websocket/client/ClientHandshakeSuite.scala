package needletail.websocket.client

import java.net.{InetAddress, ServerSocket}
import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.concurrent.duration._
import scala.concurrent.{Await, Future, Promise}

import needletail.http.Headers
import needletail.io.platform.ConnectionOptions
import needletail.routing._
import needletail.server.ServerFixture
import needletail.testing.Suite
import needletail.websocket._

/** What a client sends to open a WebSocket, and how long the answer may be. */
class ClientHandshakeSuite extends Suite {
  private val routes = Routes(
    GET / "host" + request to { request =>
      val host = request.headers.getAll("Host").mkString(", ")
      webSocket { socket =>
        socket.send(host)
        _ => ()
      }
    }
  )

  private def wait[A](future: Future[A]): A = Await.result(future, 20.seconds)

  private def withClient[A](config: WebSocketClientConfig = WebSocketClientConfig())(
      body: WebSocketClient => A
  ): A = {
    val client = WebSocketClient(config)
    try body(client)
    finally client.close()
  }

  test("Host is that of the URL, or the caller's") {
    ServerFixture.serving(routes) { server =>
      withClient() { client =>
        def host(headers: Headers): String = {
          val first                    = Promise[String]()
          val inbox: WebSocketListener = message => { first.trySuccess(message.text); () }
          val socket = wait(client.future(s"ws://127.0.0.1:${server.port}/host", headers)(_ => inbox))
          val host   = wait(first.future)
          socket.close()
          host
        }
        assertEquals(host(Headers.empty), s"127.0.0.1:${server.port}")
        assertEquals(host(Headers("A" -> "b", "host" -> "shop.example")), "shop.example")
      }
    }
  }

  test("fields that the client sets itself, and several Hosts, are errors of the caller") {
    ServerFixture.serving(routes) { server =>
      withClient() { client =>
        def refusal(fields: (String, String)*): String = intercept[IllegalArgumentException](
          wait(client.future(s"ws://127.0.0.1:${server.port}/host", Headers(fields: _*))(_ => _ => ()))
        ).getMessage
        val own = List(
          "Upgrade"                  -> "websocket",
          "Connection"               -> "Upgrade",
          "Sec-WebSocket-Key"        -> "AAAAAAAAAAAAAAAAAAAAAA==",
          "sec-websocket-version"    -> "13",
          "Sec-WebSocket-Protocol"   -> "chat",
          "Sec-WebSocket-Extensions" -> "permessage-deflate",
          "Content-Length"           -> "3",
          "TRANSFER-ENCODING"        -> "chunked",
          "Expect"                   -> "100-continue"
        )
        for (field <- own)
          assertEquals(
            refusal("A" -> "b", field),
            s"${field._1} has no place in the request for a WebSocket, or is set by its client"
          )
        assertEquals(refusal("Host" -> "a", "Host" -> "b"), "a request has one Host only")
      }
    }
  }

  test("a head as long as allowed is read, and a longer one is refused at once, whatever is kept of it") {
    val message = intercept[IllegalArgumentException](
      WebSocketClientConfig(maxHead = 4097, socket = ConnectionOptions(maxLeftover = 4096))
    ).getMessage
    assert(message.contains("maxHead") && message.contains("socket.maxLeftover (4096)"), message)
    val config = WebSocketClientConfig(
      connectTimeout = 20.seconds,
      handshakeTimeout = 1.minute,
      maxHead = 4096,
      socket = ConnectionOptions(maxLeftover = 4096)
    )
    for (length <- List(4095, 4096, 4097, 5000, 100000)) {
      val refused = answered(config, length)
      if (length <= 4096) assertEquals(refused.status, 503, length)
      else assert(refused.getMessage.contains("malformed"), refused.getMessage)
    }
  }

  /** What a client makes of a refusal whose head has so many bytes. */
  private def answered(config: WebSocketClientConfig, length: Int): WebSocketRefused = {
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
        val head = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nA: "
        val line = "b" * (length - head.length - 4)
        peer.getOutputStream.write(s"$head$line\r\n\r\n".getBytes(ISO_8859_1))
        while (peer.getInputStream.read() >= 0) ()
        peer.close()
      } catch { case _: java.io.IOException => () } // the client has reset it
    )
    server.start()
    try withClient(config) { client =>
        intercept[WebSocketRefused](
          wait(client.future(s"ws://127.0.0.1:${listener.getLocalPort}/")(_ => _ => ()))
        )
      }
    finally {
      server.join(20000)
      listener.close()
    }
  }
}
