package needletail.examples.chat

import scala.collection.mutable

import needletail.actor.Actor
import needletail.websocket.{Broadcast, CloseCode, Message, WebSocket}

/** The rooms that are not empty. */
final class Rooms extends Actor[Rooms.Event] {
  import Rooms._

  private val rooms = mutable.HashMap.empty[String, Room]

  def receive(event: Event): Unit = event match {
    case Entered(name, who, socket) =>
      if (hasRoomFor(name)) rooms.getOrElseUpdate(name, new Room).enter(who, socket)
      else socket.close(CloseCode.TryAgainLater, "there are too many rooms")
    case Said(name, who, socket, text) => rooms.get(name).foreach(_.hear(who, socket, text))
    case Left(name, who, socket)       =>
      rooms.get(name).foreach { room =>
        room.leave(who, socket)
        if (room.isEmpty) rooms.remove(name)
      }
  }

  private def hasRoomFor(name: String): Boolean =
    rooms.contains(name) || rooms.size < MostRooms || {
      // some may have left unheard, while the mailbox was full
      rooms.filterInPlace { (_, room) =>
        room.dropClosed()
        !room.isEmpty
      }
      rooms.size < MostRooms
    }
}

object Rooms {
  sealed trait Event
  final case class Entered(room: String, who: String, socket: WebSocket)            extends Event
  final case class Said(room: String, who: String, socket: WebSocket, text: String) extends Event
  final case class Left(room: String, who: String, socket: WebSocket)               extends Event

  private final val MostRooms = 1000

  /** The last messages, which new members receive. */
  private final val Remembered = 20

  private final class Room {
    private val all     = new Broadcast
    private val history = mutable.Queue.empty[Message]
    private val present = mutable.HashSet.empty[WebSocket]

    def isEmpty: Boolean = present.isEmpty

    def enter(who: String, socket: WebSocket): Unit = {
      val before = history.toVector
      // on its loop, before anything that is said from now on
      socket.loop.execute(() => before.foreach(socket.send(_)))
      all.join(socket)
      present += socket
      say(s"* $who is here")
    }

    /** Someone who was not let in is not heard, and cannot leave. */
    def hear(who: String, socket: WebSocket, text: String): Unit =
      if (present.contains(socket)) say(s"$who: $text")

    def leave(who: String, socket: WebSocket): Unit = if (present.remove(socket)) say(s"* $who has left")

    def dropClosed(): Unit = { present.filterInPlace(_.isOpen); () }

    def say(line: String): Unit = {
      val message = Message.Text(line)
      history.enqueue(message)
      if (history.size > Remembered) { val _ = history.dequeue() }
      all.send(message)
    }
  }
}
