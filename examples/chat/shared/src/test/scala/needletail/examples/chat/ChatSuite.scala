package needletail.examples.chat

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.server.{Server, ServerConfig}
import needletail.testing.Suite
import needletail.websocket._

class ChatSuite extends Suite {
  private def serving(body: (String => (WebSocket, Heard)) => Unit): Unit = {
    val server = Server(new Chat().routes, ServerConfig(loops = 2).withPort(0)).start()
    val client = WebSocketClient()
    try
      body { path =>
        val heard = new Heard
        (Await.result(client.future(s"ws://127.0.0.1:${server.port}$path")(_ => heard), 20.seconds), heard)
      }
    finally {
      client.close()
      Await.result(server.close(), 20.seconds)
    }
  }

  private final class Heard extends WebSocketListener {
    private var lines                     = Vector.empty[String]
    @volatile var code: Int               = 0
    def onMessage(message: Message): Unit = synchronized { lines :+= message.text }
    def all: Vector[String]               = synchronized(lines)

    override def onClose(closedBy: Int, reason: String): Unit = code = closedBy
  }

  private def say(socket: WebSocket, text: String): Unit = socket.loop.execute(() => socket ! text)

  test("what one says in a room all hear, those who come later too, and nobody in another room") {
    serving { enter =>
      val (ann, atAnn) = enter("/chat/tea?name=Ann")
      eventually(atAnn.all == Vector("* Ann is here"))
      val (_, atCid) = enter("/chat/coffee?name=Cid")
      say(ann, "hello")
      eventually(atAnn.all.last == "Ann: hello")
      val (bob, atBob) = enter("/chat/tea?name=Bob")
      eventually(atBob.all == Vector("* Ann is here", "Ann: hello", "* Bob is here"), atBob.all)
      say(bob, "<b>hi</b>")
      eventually(atAnn.all.drop(2) == Vector("* Bob is here", "Bob: <b>hi</b>"), atAnn.all)
      bob.loop.execute(() => bob.close())
      eventually(atAnn.all.last == "* Bob has left")
      assertEquals(atCid.all, Vector("* Cid is here"))
    }
  }

  test("a binary message and one that is too long close the WebSocket") {
    serving { enter =>
      val (ann, atAnn) = enter("/chat/tea?name=Ann")
      ann.loop.execute { () => ann.send(new Array[Byte](1)); () }
      eventually(atAnn.code == CloseCode.Unsupported, atAnn.code)
      val (bob, atBob) = enter("/chat/tea?name=Bob")
      say(bob, "x" * 5000)
      eventually(atBob.code == CloseCode.MessageTooBig, atBob.code)
    }
  }
}
