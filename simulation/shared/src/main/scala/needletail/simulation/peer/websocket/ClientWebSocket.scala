package needletail.simulation.peer.websocket

import java.util.concurrent.RejectedExecutionException

import scala.util.{Failure, Success}

import needletail.http.Headers
import needletail.io.EventLoop
import needletail.simulation.reader.{Mark, PeerMessages}
import needletail.simulation.service.{ListenerChecks, UserCode, WebSocketService}
import needletail.simulation.world.World
import needletail.websocket._

/**
 * A WebSocket of the library's client: what it says and hears, and how it ends.
 *
 * @param isRaw whether its server is a [[RawWebSocketServer]]
 */
final class ClientWebSocket(
    world: World,
    code: UserCode,
    checks: ListenerChecks,
    client: WebSocketClient,
    loop: EventLoop,
    number: Int,
    port: Int,
    isRaw: Boolean
) {
  private val random   = world.random.split()
  private val kind     = if (isRaw) "raw" else random.pick(WebSocketService.kinds)
  private val count    = random.skewed(30)
  private var isOpen   = false // `open` has returned a listener
  private var isDone   = false // `connect` has completed
  private var hasEnded = false

  /** Whether nothing more will happen to it. */
  def isOver: Boolean = isDone && (!isOpen || hasEnded)

  on {
    val url    = s"ws://127.0.0.1:$port/ws/$kind"
    val socket = client.connect(url, Headers("X-Peer" -> number.toString))(open)
    if (random.percent(10)) later(random.longBetween(0, 1000000000L))(socket.cancel())
    socket.onComplete { result =>
      if (isDone) world.found(s"call $number was opened a second time")
      isDone = true
      result match {
        case Success(_) if !isOpen => world.found(s"call $number is open without a listener")
        case Success(_)            => ()
        case Failure(e)            => world.trace.say(world, s"call $number failed: $e")
      }
      code.at("a callback of connect")
    }
  }

  private def on(body: => Unit): Unit =
    try loop.execute(() => body)
    catch { case _: RejectedExecutionException => isDone = true }

  private def later(nanos: Long)(body: => Unit): Unit = world.after(nanos) {
    try loop.execute(() => body)
    catch { case _: RejectedExecutionException => () }
  }

  private def open(socket: WebSocket): WebSocketListener = {
    val listener = new ClientListener(socket)
    if (random.percent(30)) speak(socket)
    else later(random.longBetween(0, 50000000L))(speak(socket))
    later(random.longBetween(0, random.pick(Seq(1000000000L, 10000000000L))))(close(socket))
    code.at("the opening of a client's WebSocket")
    isOpen = true
    checks.opened(listener)
    listener
  }

  private def speak(socket: WebSocket): Unit = {
    if (random.percent(30)) socket.ping(Mark(number, 0).getBytes("US-ASCII"))
    WebSocketService.say(code, socket, number, count) {
      if (random.percent(50)) close(socket)
    }
  }

  private def close(socket: WebSocket): Unit = socket.close(WebSocketService.closeOf(number), Mark(number, 0))

  private final class ClientListener(socket: WebSocket)
      extends checks.CheckedListener(
        s"the client's $number",
        if (kind == "talk" || isRaw) PeerMessages.serverTo(number) else number
      ) {
    private var bytes = 0
    private var last  = -1

    protected def mayEndWith(code: Int, reason: String): Boolean = {
      hasEnded = true
      code match {
        case 1006               => true
        case 1000               => kind == "source"
        case 1002 | 1007 | 1009 => isRaw
        case c if c >= 4500     => (isRaw || kind == "closes") && c == WebSocketService.closesWith(number)
        case c if c >= 4000     => c == WebSocketService.closeOf(number)
        case other              => checks.isUsual(other)
      }
    }

    override protected def check(message: Message): Unit = kind match {
      case "source" =>
        val own = Mark.content(Mark(number, 0), bytes + message.bytes.length).drop(bytes)
        if (!java.util.Arrays.equals(own, message.bytes)) world.found(s"$name got bytes that are not its own")
        bytes += message.bytes.length
      case "room" =>
        val mark  = PeerMessages.markOf(message.bytes)
        val index = mark.substring(mark.indexOf('-') + 1, mark.length - 1).toInt
        if (
          index <= last || !PeerMessages(WebSocketService.RoomPeer, index).is(message.isText, message.bytes)
        )
          world.found(s"$name got $mark after $last in the room")
        last = index
      case _ => super.check(message)
    }

    protected def on(message: Message): Unit = if (random.percent(5)) {
      socket.pause()
      WebSocketService.later(world, socket.loop)(socket.resume())
    }
  }
}
