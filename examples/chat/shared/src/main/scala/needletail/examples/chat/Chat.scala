package needletail.examples.chat

import needletail.actor.{Actor, ActorRef}
import needletail.async.Loop
import needletail.routing._
import needletail.websocket._

/** `GET /` is a page, and `GET /chat/ROOM?name=NAME` a WebSocket: messages are sent to all in the room. */
final class Chat {

  /** All rooms, on the loop that served the first request. */
  private lazy val rooms: ActorRef[Rooms.Event] = Actor.spawn[Rooms.Event](Loop.current)(_ => new Rooms)

  private val sockets = webSocket.withConfig(WebSocketConfig(maxMessage = 4096))

  private def name(what: String) =
    arg[String](what).filter(n => n.nonEmpty && n.length <= 32, "{NAME} must have 1 to 32 characters")

  val routes: Routes = Routes(
    GET to Response.ok(Page.html).setHeader("Content-Type", "text/html; charset=utf-8"),
    GET / "chat" / name("room") + ?("name", name("name")) to { case (room, who) => chat(room, who) }
  )

  private def chat(room: String, who: String): Response = sockets { socket =>
    def tell(event: Rooms.Event): Unit =
      if (!rooms.send(event)) socket.close(CloseCode.TryAgainLater, "too many messages")
    tell(Rooms.Entered(room, who, socket))
    new WebSocketListener {
      def onMessage(message: Message): Unit =
        if (message.isText) tell(Rooms.Said(room, who, socket, message.text))
        else socket.close(CloseCode.Unsupported, "text only")
      override def onClose(code: Int, reason: String): Unit = rooms ! Rooms.Left(room, who, socket)
    }
  }
}
