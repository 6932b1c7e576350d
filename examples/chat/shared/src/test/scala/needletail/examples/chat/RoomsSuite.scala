package needletail.examples.chat

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.routing._
import needletail.server.{Server, ServerConfig}
import needletail.testing.Suite
import needletail.websocket._

/** Who is in which room, when messages to the actor were refused. */
class RoomsSuite extends Suite {

  /** WebSockets whose peers send back what they are sent. */
  private def withSockets(body: (Heard => WebSocket) => Unit): Unit = {
    val echo = GET / "echo" to webSocket { socket =>
      new WebSocketListener { def onMessage(message: Message): Unit = socket ! message }
    }
    val server = Server(echo, ServerConfig(loops = 1).withPort(0)).start()
    val client = WebSocketClient()
    try body(heard =>
        Await.result(client.future(s"ws://127.0.0.1:${server.port}/echo")(_ => heard), 20.seconds)
      )
    finally {
      client.close()
      Await.result(server.close(), 20.seconds)
    }
  }

  private final class Heard extends WebSocketListener {
    private var lines                                     = Vector.empty[String]
    @volatile var isClosed: Boolean                       = false
    def onMessage(message: Message): Unit                 = synchronized { lines :+= message.text }
    def all: Vector[String]                               = synchronized(lines)
    override def onClose(code: Int, reason: String): Unit = isClosed = true
  }

  test("who was not let in is not heard and does not leave, and those in the room stay in it") {
    withSockets { open =>
      val heard      = new Heard
      val (ann, bob) = (open(heard), open(new Heard))
      val rooms      = new Rooms
      rooms.receive(Rooms.Entered("tea", "Ann", ann))
      rooms.receive(Rooms.Said("tea", "Bob", bob, "hello?"))
      rooms.receive(Rooms.Left("tea", "Bob", bob))
      rooms.receive(Rooms.Said("tea", "Ann", ann, "hello"))
      eventually(heard.all == Vector("* Ann is here", "Ann: hello"), heard.all)
    }
  }

  test("rooms of those whose leaving went unheard are given up when there are too many") {
    withSockets { open =>
      val (atAnn, atBob, atCid) = (new Heard, new Heard, new Heard)
      val (ann, bob, cid)       = (open(atAnn), open(atBob), open(atCid))
      val rooms                 = new Rooms
      for (n <- 1 to 999) rooms.receive(Rooms.Entered(s"room $n", "Bob", bob))
      rooms.receive(Rooms.Entered("tea", "Cid", cid))
      rooms.receive(Rooms.Entered("coffee", "Ann", ann))
      eventually(atAnn.isClosed)
      bob.close()
      eventually(atBob.isClosed)
      val again = new Heard
      rooms.receive(Rooms.Entered("coffee", "Ann", open(again)))
      rooms.receive(Rooms.Said("tea", "Cid", cid, "hello"))
      eventually(again.all == Vector("* Ann is here"), again.all)
      eventually(atCid.all == Vector("* Cid is here", "Cid: hello"), atCid.all)
    }
  }
}
