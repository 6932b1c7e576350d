package needletail.websocket.socket

import needletail.async.{Async, Loop}
import needletail.http.ConnectionInfo
import needletail.websocket.frame.CloseCode

/**
 * One WebSocket. All methods must be called on its loop; `loop.execute` brings others there.
 *
 * Messages sent in one turn of the loop are written at once. Reading from a peer stops while too much output waits for
 * it, so a handler that only answers messages need not check the result of `send`.
 */
abstract class WebSocket private[websocket] () {

  /**
   * Sends a message. Returns false if it is not taken: the WebSocket is closed, or more than
   * `WebSocketConfig.maxPendingOutput` bytes wait for the peer; see `whenWritable`.
   */
  def send(message: Message): Boolean

  /** As `send`, without the result. */
  final def !(message: Message): Unit = { send(message); () }

  /** As `send` of a text, without the result. */
  final def !(text: String): Unit = { send(text); () }

  /** As `send` of bytes, without the result. */
  final def !(bytes: Array[Byte]): Unit = { send(bytes); () }

  /** Sends a text message. Returns what `send` of a message does. */
  def send(text: String): Boolean

  /** Sends a binary message; the array must not change afterwards. Returns what `send` of a message does. */
  def send(bytes: Array[Byte]): Boolean

  /** Sends a ping of at most 125 bytes, else IllegalArgumentException. Its pong is not reported, but the time counts. */
  def ping(bytes: Array[Byte]): Boolean

  /** Bytes of messages that the peer has not been sent. */
  def pendingBytes: Int

  /** Completes when `send` takes messages again; fails with [[WebSocketClosed]] if it is closed before. */
  def whenWritable: Async[Unit]

  /**
   * No message is received until `resume`. Those that arrive are kept, up to 64 KiB and one message; then nothing more is
   * read. As long as it is, pings are answered, a peer that does not answer is disconnected, and its end is noticed: reported at
   * once if no message is kept, else after those, which have to be taken within `closeTimeout` each.
   */
  def pause(): Unit

  /** Messages are received again, those that were kept first. */
  def resume(): Unit

  /**
   * Closes after the messages sent so far: sends a close frame, and waits for the peer's, for `closeTimeout`. Has no effect
   * once it closes. Throws IllegalArgumentException for a code that may not be sent, or a reason of more than 123 bytes.
   */
  def close(code: Int = CloseCode.Normal, reason: String = ""): Unit

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
 */
final class WebSocketRefused(val status: Int, message: String) extends java.io.IOException(message)
