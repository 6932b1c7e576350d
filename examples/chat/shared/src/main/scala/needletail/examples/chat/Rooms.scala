package needletail.examples.chat

import scala.collection.mutable

import needletail.actor.Actor
import needletail.websocket.{Broadcast, CloseCode, Message, WebSocket}

/** The rooms that are not empty. */
final class Rooms extends Actor[Rooms.Event] {
  import Rooms._

  private val rooms = mutable.HashMap.empty[String, Room]

  def receive(event: Event): Unit = event match {
    case Entered(name, _, socket) if rooms.size >= MostRooms && !rooms.contains(name) =>
      socket.loop.execute(() => socket.close(CloseCode.TryAgainLater, "there are too many rooms"))
    case Entered(name, who, socket) => rooms.getOrElseUpdate(name, new Room).enter(who, socket)
    case Said(name, who, text)      => rooms.get(name).foreach(_.say(s"$who: $text"))
    case Left(name, who)            =>
      rooms.get(name).foreach { room =>
        room.leave(who)
        if (room.isEmpty) rooms.remove(name)
      }
  }
}

object Rooms {
  sealed trait Event
  final case class Entered(room: String, who: String, socket: WebSocket) extends Event
  final case class Said(room: String, who: String, text: String)         extends Event
  final case class Left(room: String, who: String)                       extends Event

  private final val MostRooms = 1000

  /** The last messages, which new members receive. */
  private final val Remembered = 20

  private final class Room {
    private val all     = new Broadcast
    private val history = mutable.Queue.empty[Message]
    private var present = 0

    def isEmpty: Boolean = present == 0

    def enter(who: String, socket: WebSocket): Unit = {
      val before = history.toVector
      // on its loop, before anything that is said from now on
      socket.loop.execute(() => before.foreach(socket.send(_)))
      all.join(socket)
      present += 1
      say(s"* $who is here")
    }

    def leave(who: String): Unit = {
      present -= 1
      say(s"* $who has left")
    }

    def say(line: String): Unit = {
      val message = Message.Text(line)
      history.enqueue(message)
      if (history.size > Remembered) { val _ = history.dequeue() }
      all.send(message)
    }
  }
}
