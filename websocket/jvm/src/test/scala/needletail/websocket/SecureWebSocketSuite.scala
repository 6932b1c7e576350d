package needletail.websocket

import scala.concurrent.duration._
import scala.concurrent.{Await, Promise}

import needletail.io.{Address, Tls, TlsServerConfig}
import needletail.routing._
import needletail.server.{Log, ServerConfig, ServerFixture}
import needletail.testing.{Certificate, Suite}

/** Our server and our client, over TLS. */
class SecureWebSocketSuite extends Suite {
  test("a WebSocket over TLS echoes messages of all sizes, and closes") {
    val routes = Routes(GET / "echo" to webSocket { socket => message =>
      val secure = socket.connection.isSecure
      socket.send(if (message.isText) Message.Text(s"$secure ${message.text}") else message)
      ()
    })
    val config = ServerConfig(
      address = Address.Tcp("127.0.0.1", 0),
      log = Log.none,
      tls = Some(Tls.server(TlsServerConfig(Certificate.local.file, Certificate.local.key)))
    )
    ServerFixture.serving(routes, config) { server =>
      val client = WebSocketClient(WebSocketClientConfig(tls = Tls.trusting(Certificate.local.file)))
      try {
        val large    = Array.tabulate(200000)(i => (i * i).toByte)
        val messages = Promise[Vector[Message]]()
        val closed   = Promise[Int]()
        client.future(s"wss://localhost:${server.port}/echo") { socket =>
          socket.send("hello")
          socket.send(large)
          new WebSocketListener {
            private var all                       = Vector.empty[Message]
            def onMessage(message: Message): Unit = {
              all :+= message
              if (all.size == 2) {
                messages.success(all)
                socket.close(4001)
              }
            }
            override def onClose(code: Int, reason: String): Unit = { closed.trySuccess(code); () }
          }
        }.failed.foreach(closed.failure)(scala.concurrent.ExecutionContext.global)
        assertEquals(Await.result(closed.future, 20.seconds), 4001)
        assertEquals(
          Await.result(messages.future, 20.seconds),
          Vector(Message.Text("true hello"), Message.Binary(large))
        )
      } finally client.close()
    }
  }
}
