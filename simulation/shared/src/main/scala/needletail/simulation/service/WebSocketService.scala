package needletail.simulation.service

import java.util.concurrent.RejectedExecutionException

import scala.util.{Failure, Success}

import needletail.async.Loop
import needletail.routing._
import needletail.simulation.reader.{Mark, PeerMessages}
import needletail.simulation.world.World
import needletail.websocket._

/**
 * The WebSockets of a simulated server, by kind. Each is opened with the number of its peer, from which it knows what has
 * to come and what it says itself (see [[PeerMessages]]).
 */
final class WebSocketService(
    world: World,
    code: UserCode,
    config: WebSocketConfig,
    val checks: ListenerChecks
) {
  import WebSocketService._

  private val room = new Broadcast(closeSlow = world.random.percent(50))
  private var news = 0 // what has been said to all in the room

  val compresses: Boolean = config.compression.nonEmpty
  val maxMessage: Int     = config.maxMessage

  private val opened = webSocket.withConfig(config)

  val routes: Routes = Routes(GET / "ws" / arg[String]("kind") + request to { case (kind, r) =>
    open(kind, r)
  })

  private def open(kind: String, request: Request): Response = {
    code.at("a handler of WebSockets")
    val peer = request.header("X-Peer").fold(0)(_.toInt)
    val bad  = request.header("X-Bad").map(_.toInt)
    kind match {
      case "stream" =>
        val heard = checks.of(s"the stream for $peer", peer)
        opened.stream { in =>
          code.at("the making of a stream of messages")
          in.map { message => heard.message(message); code.at("a stream of messages"); message }
        }
      case "source" =>
        val content = Mark.content(Mark(peer, 0), sourceSize(peer))
        opened.stream { in =>
          code.at("the making of a stream of messages")
          if (world.random.percent(50)) in.cancel()
          code.stream(content).map(Message.Binary(_))
        }
      case _ => opened { socket =>
          code.at("the opening of a WebSocket")
          val listener = new ServerListener(kind, socket, peer, bad)
          checks.opened(listener)
          listener
        }
    }
  }

  private final class ServerListener(kind: String, socket: WebSocket, peer: Int, bad: Option[Int])
      extends checks.CheckedListener(s"the server's for $peer", peer) {
    protected def mayEndWith(code: Int, reason: String): Boolean = code match {
      case 1000 | 1005 | 1006 => true
      case c if c >= 4500     => kind == "closes" && c == closesWith(peer)
      case c if c >= 4000     => c == closeOf(peer) && (reason == Mark(peer, 0) || kind == "closes")
      case other              => checks.isUsual(other) || bad.contains(other)
    }

    kind match {
      case "talk" => WebSocketService.say(code, socket, PeerMessages.serverTo(peer), talks(peer))(())
      case "room" => room.join(socket)
      case _      => ()
    }

    protected def on(message: Message): Unit = kind match {
      case "echo" => socket ! message
      case "slow" =>
        socket ! message
        if (world.random.percent(40)) {
          socket.pause()
          WebSocketService.later(world, socket.loop)(socket.resume())
        }
      case "closes" => socket.close(closesWith(peer), "that will do")
      case "room"   =>
        val said = PeerMessages(RoomPeer, news)
        news += 1
        room.send(if (said.isText) Message.Text(said.text) else Message.Binary(said.bytes))
      case _ => ()
    }
  }

  /** What is left in the room, after all have gone. */
  def inRoom: Int = room.size
}

object WebSocketService {
  val kinds: Seq[String] = Seq("echo", "echo", "echo", "slow", "stream", "talk", "source", "closes", "room")

  /** Whether what was sent comes back. */
  def isEcho(kind: String): Boolean = kind == "echo" || kind == "slow" || kind == "stream"

  final val RoomPeer = 0

  /** The codes by which a peer, and the server, close a WebSocket with it: nobody else has them. */
  def closeOf(peer: Int): Int    = 4000 + peer
  def closesWith(peer: Int): Int = 4500 + peer

  /** How many messages the server says by itself to a peer, and how many bytes its stream for it has. */
  def talks(peer: Int): Int      = 1 + peer * 7 % 40
  def sourceSize(peer: Int): Int = peer * 6007  % 90000

  private val waits = Seq(1000L, 20000000L, 900000000L)

  def later(world: World, loop: Loop)(body: => Unit): Unit =
    world.after(world.random.longBetween(0, world.random.pick(waits))) {
      try loop.execute(() => body)
      catch { case _: RejectedExecutionException => () } // it has ended
    }

  /** Says the first `count` messages of that number, as far as the peer takes them; then `done`, if it is still open. */
  def say(code: UserCode, socket: WebSocket, number: Int, count: Int)(done: => Unit): Unit = {
    def from(i: Int): Unit = {
      var next = i
      while (next < count && sent(next)) next += 1
      if (next == count) done
      else if (socket.isOpen)
        socket.whenWritable.onComplete {
          case Success(_) =>
            try code.at("a callback of room")
            catch { case e: Throwable => socket.close(CloseCode.InternalError); throw e }
            from(next)
          case Failure(_) => ()
        }
    }
    def sent(i: Int): Boolean = {
      val said = PeerMessages(number, i)
      if (said.isText) socket.send(said.text) else socket.send(said.bytes)
    }
    from(0)
  }
}
