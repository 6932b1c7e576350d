package needletail.websocket.socket

import needletail.async.{Async, Loop}
import needletail.http.ConnectionInfo
import needletail.http.message.{Headers, MediaType}
import needletail.http.text.Utf8Text
import needletail.io.loop.OtherThreads
import needletail.websocket.frame.{CloseCode, CloseFrame, Opcode}

/**
 * One WebSocket. It may be used from any thread, except for `whenWritable`; what other threads than its loop's ask for is
 * done on the loop, soon, and for each thread in order. Its listener is called on the loop.
 *
 * Messages sent in one turn of the loop are written at once. Reading from a peer stops while too much output waits for
 * it, so a handler that only answers messages need not check the result of `send`.
 */
abstract class WebSocket private[websocket] () {

  /**
   * Sends a message. Returns false if it is not taken: the WebSocket is closed, or more than
   * `WebSocketConfig.maxPendingOutput` bytes wait for the peer; see `whenWritable`. What another thread sends is taken,
   * and dropped if the WebSocket closes before its loop comes to it.
   */
  final def send(message: Message): Boolean =
    sendFrame(if (message.isText) Opcode.Text else Opcode.Binary, message.bytes)

  /** As `send`, without the result. */
  final def !(message: Message): Unit = { send(message); () }

  /** As `send` of a text, without the result. */
  final def !(text: String): Unit = { send(text); () }

  /** As `send` of bytes, without the result. */
  final def !(bytes: Array[Byte]): Unit = { send(bytes); () }

  /** Sends a text message. Returns what `send` of a message does. */
  final def send(text: String): Boolean = sendFrame(Opcode.Text, Utf8Text.encode(text))

  /** Sends a binary message; the array must not change afterwards. Returns what `send` of a message does. */
  final def send(bytes: Array[Byte]): Boolean = sendFrame(Opcode.Binary, bytes)

  private def sendFrame(opcode: Int, payload: Array[Byte]): Boolean =
    if (loop.inLoop) isOpen && (surelyHasRoom || hasRoom) && {
      writeMessage(opcode, payload)
      true
    }
    else sendFromElsewhere(opcode, payload)

  @noinline private def sendFromElsewhere(opcode: Int, payload: Array[Byte]): Boolean =
    hasRoom && elsewhere.send(payload.length)(() => if (isOpen) writeMessage(opcode, payload))

  /** Sends a ping of at most 125 bytes, else IllegalArgumentException. Its pong is not reported, but the time counts. */
  final def ping(bytes: Array[Byte]): Boolean = {
    if (bytes.length > 125) throw new IllegalArgumentException("a ping has at most 125 bytes")
    hasRoom && onLoop(() => if (isOpen) writePing(bytes))
  }

  /** Bytes of messages that the peer has not been sent; about so many, on another thread than the loop's. */
  final def pendingBytes: Int = {
    val unsent = unsentBytes
    if (others eq null) unsent else Math.min(unsent + others.bytes, Int.MaxValue.toLong).toInt
  }

  /**
   * Completes when `send` takes messages again; fails with [[WebSocketClosed]] if it is closed before. To be called on the
   * loop: fails with IllegalStateException on another thread.
   */
  final def whenWritable: Async[Unit] =
    if (loop.inLoop) untilWritable
    else Async.fail(new IllegalStateException("whenWritable must be called on the WebSocket's loop"))

  /**
   * No message is received until `resume`. Those that arrive are kept, up to 64 KiB and one message; then nothing more is
   * read. As long as it is, pings are answered, a peer that does not answer is disconnected, and its end is noticed: reported at
   * once if no message is kept, else after those, which have to be taken within `closeTimeout` each. If the connection is
   * lost, that is reported at once, and they are dropped.
   */
  final def pause(): Unit = { onLoop(() => pauseHere()); () }

  /** Messages are received again, those that were kept first. */
  final def resume(): Unit = { onLoop(() => resumeHere()); () }

  /**
   * Closes after the messages sent so far: sends a close frame, and waits for the peer's, for `closeTimeout`. Has no effect
   * once it closes. Throws IllegalArgumentException for a code that may not be sent, or a reason of more than 123 bytes.
   */
  final def close(code: Int = CloseCode.Normal, reason: String = ""): Unit = {
    val payload = CloseFrame.payload(code, reason)
    onLoop(() => closeWith(payload))
    ()
  }

  /** Whether messages can still be sent. */
  def isOpen: Boolean

  /** The subprotocol that both sides have agreed on. */
  def subprotocol: Option[String]

  /** The connection that it runs on. */
  def connection: ConnectionInfo

  /** The loop that it lives on. */
  def loop: Loop

  /** Reports a failure of user code that was called for it: `what` names the code. */
  private[websocket] def report(what: String, cause: Throwable): Unit

  // what is done on the loop

  private[websocket] def writeMessage(opcode: Int, payload: Array[Byte]): Unit
  private[websocket] def writePing(bytes: Array[Byte]): Unit
  private[websocket] def closeWith(payload: Array[Byte]): Unit
  private[websocket] def pauseHere(): Unit
  private[websocket] def resumeHere(): Unit
  private[websocket] def unsentBytes: Int
  private[websocket] def mostUnsent: Int

  /** Whether surely fewer bytes are unsent than where reading stops, which is not beyond `mostUnsent`. */
  private[websocket] def isRoomy: Boolean
  private[websocket] def untilWritable: Async[Unit]

  // what other threads ask for

  @volatile private var others: OtherThreads = null // null: none has asked for anything

  private def elsewhere: OtherThreads = synchronized {
    if (others eq null) others = new OtherThreads(loop)
    others
  }

  /** Returns false if the loop has ended. */
  private def onLoop(task: Runnable): Boolean =
    if (loop.inLoop) {
      task.run()
      true
    } else elsewhere.run(task)

  private def hasRoom: Boolean = isOpen && pendingBytes <= mostUnsent

  /** Whether `send` takes messages; false if that has to be counted, as while messages of other threads wait. On the loop. */
  private[websocket] final def surelyHasRoom: Boolean = ((others eq null) || others.bytes == 0) && isRoomy
}

/** Receives what happens to a WebSocket, on its loop. An exception closes it with 1011, and is logged. */
trait WebSocketListener {

  /** A message has arrived. */
  def onMessage(message: Message): Unit

  /** It is closed, called once, last; with the peer's code and reason, or why it ended without (see [[CloseCode]]). */
  def onClose(code: Int, reason: String): Unit = { val _ = (code, reason) }
}

/** The failure of what waits for a WebSocket that is closed. */
final class WebSocketClosed(val code: Int, val reason: String)
    extends RuntimeException(s"the WebSocket is closed: $code $reason", null, false, false)

/**
 * The failure to open a WebSocket: the server answered with that status, or wrongly, with status 0 or 101. The message
 * names the URL, without its query.
 *
 * @param headers the response's headers; none if it was malformed, or came from a proxy
 * @param bytes the response's body, as far as it came within a second of its head and within `handshakeTimeout`, and at
 *   most 64 KiB of it
 */
final class WebSocketRefused private[websocket] (
    val status: Int,
    message: String,
    val headers: Headers = Headers.empty,
    val bytes: Array[Byte] = new Array[Byte](0)
) extends java.io.IOException(message) {

  /** The body as text, in the charset of its Content-Type or in UTF-8. */
  def text: String = MediaType.decode(bytes, MediaType.charset(headers.get("Content-Type")))
}
