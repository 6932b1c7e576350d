package needletail.websocket.socket

import java.util.concurrent.{ConcurrentHashMap, RejectedExecutionException}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import needletail.async.Loop
import needletail.websocket.frame.{CloseCode, FrameWriter, Opcode}

/**
 * WebSockets that are sent the same messages, on any number of loops. A message is encoded once, and all of them send
 * the same array. It is not compressed.
 *
 * Each member receives the messages of one thread in their order.
 *
 * @param closeSlow what happens to a member that has more than `WebSocketConfig.maxPendingOutput` to read: it is closed
 *   with 1013 (try again later); or, if false, it misses messages until it has read some
 */
final class Broadcast(closeSlow: Boolean = true) {
  private val loops = new ConcurrentHashMap[Loop, Broadcast.Members]

  /**
   * Adds a WebSocket, until it closes or leaves. From any thread: it is sent what the same thread passes to `send` from
   * then on. On its loop that is done at once, but `send` comes soon: it is also sent what this turn has passed to `send`.
   */
  def join(socket: WebSocket): Unit = {
    val member  = socket.asInstanceOf[SocketConnection]
    val members = loops.computeIfAbsent(socket.loop, _ => new Broadcast.Members)
    onLoop(socket.loop)(() => if (members.add(member)) member.atEnd(members.leaver))
  }

  /**
   * Removes a WebSocket. From any thread: it is sent what the same thread has passed to `send` before. On its loop that is
   * done at once: it is not sent what this turn has passed to `send`; `socket.send` is for its last messages.
   */
  def leave(socket: WebSocket): Unit = {
    val members = loops.get(socket.loop)
    if (members != null)
      onLoop(socket.loop) { () =>
        val member = socket.asInstanceOf[SocketConnection]
        members.remove(member)
        member.notAtEnd(members.leaver)
      }
  }

  private def onLoop(loop: Loop)(task: Runnable): Unit =
    if (loop.inLoop) task.run()
    else
      try loop.execute(task)
      catch { case _: RejectedExecutionException => () } // it has ended, with its connections

  /** Sends a message to all members, from any thread: soon, on their loops. */
  def send(message: Message): Unit = {
    val frame = new SharedFrame(message)
    loops.asScala.foreach { case (loop, members) =>
      try loop.execute(() => members.send(frame, closeSlow))
      catch { case _: RejectedExecutionException => loops.remove(loop) } // it has ended, with its members
    }
  }

  /** Sends a text message to all members; as `send` of a message. */
  def send(text: String): Unit = send(Message.Text(text))

  /** Sends a binary message to all members; as `send` of a message. The array must not change afterwards. */
  def send(bytes: Array[Byte]): Unit = send(Message.Binary(bytes))

  /** As `send`. */
  def !(message: Message): Unit = send(message)

  /** As `send` of a text. */
  def !(text: String): Unit = send(text)

  /** As `send` of bytes. */
  def !(bytes: Array[Byte]): Unit = send(bytes)

  /** The number of members; approximate while others join or leave. */
  def size: Int = loops.values.asScala.map(_.size).sum
}

private object Broadcast {

  /** Those of one loop, used there, but for `size`. */
  final class Members {
    private val all         = mutable.LinkedHashSet.empty[SocketConnection]
    @volatile var size: Int = 0

    def add(member: SocketConnection): Boolean = {
      val isNew = all.add(member)
      size = all.size
      isNew
    }

    /** Removes a member as it ends. */
    val leaver: SocketConnection => Unit = remove

    def remove(member: SocketConnection): Unit = {
      all.remove(member)
      size = all.size
    }

    def send(frame: SharedFrame, closeSlow: Boolean): Unit = {
      var slow = List.empty[SocketConnection]
      all.foreach(member => if (!member.sendShared(frame)) slow = member :: slow)
      if (closeSlow) slow.foreach(_.close(CloseCode.TryAgainLater, "too slow"))
    }
  }
}

/** A message with the frame that servers send of it. */
private[websocket] final class SharedFrame(val message: Message) {

  /** The first byte: it is not compressed. */
  val first: Int = FrameWriter.Final | (if (message.isText) Opcode.Text else Opcode.Binary)

  val bytes: Array[Byte] = FrameWriter.frame(first, message.bytes)
}
