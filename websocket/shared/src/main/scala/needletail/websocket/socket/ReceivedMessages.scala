package needletail.websocket.socket

import scala.util.{Failure, Success}

import needletail.async.{Async, AsyncPromise, Cancelled, Survivable}
import needletail.stream.Stream
import needletail.websocket.frame.CloseCode

/** The messages of a WebSocket as a stream: it is read only while the stream is. Sends another stream's messages. */
private[websocket] final class ReceivedMessages(socket: WebSocket) extends Stream[Message]
    with WebSocketListener {
  private var waiting: AsyncPromise[Option[Message]] = null
  private var arrived: Message                       = null // came as its reader had just withdrawn
  private var isOver                                 = false
  private var sending: Async[Unit]                   = null

  socket.pause()

  def next(): Async[Option[Message]] =
    if (arrived != null) {
      val message = arrived
      arrived = null
      Async.value(Some(message))
    } else if (isOver) ReceivedMessages.end
    else {
      waiting = new AsyncPromise[Option[Message]]
      socket.resume()
      waiting
    }

  def onMessage(message: Message): Unit = if (!isOver) {
    socket.pause()
    val reader = waiting
    waiting = null
    if (reader == null || !reader.succeed(Some(message))) arrived = message
  }

  override def onClose(code: Int, reason: String): Unit = {
    isOver = true
    val reader = waiting
    waiting = null
    if (reader != null) { val _ = reader.succeed(None) }
    if (sending != null) sending.cancel()
  }

  def cancel(): Unit = {
    isOver = true
    val reader = waiting
    waiting = null
    if (reader != null) { val _ = reader.fail(new Cancelled) }
    // further messages are dropped, so that the peer's close frame is seen
    if (socket.isOpen) socket.resume()
  }

  /**
   * Sends the messages of `stream`, as fast as the peer takes them, then closes; with 1011 if it fails, also if by the end
   * of another WebSocket.
   */
  def sends(stream: Stream[Message]): Unit = {
    sending = new Reported(stream).mapAsync(1)(send).drain()
    sending.onComplete {
      case Success(_)                                                   => socket.close()
      case Failure(_: WebSocketClosed | _: Cancelled) if !socket.isOpen => ()
      case Failure(e)                                                   =>
        socket.report("the stream", e)
        socket.close(CloseCode.InternalError)
    }
  }

  /** A stream whose failure to be cancelled is reported as one of the WebSocket. */
  private final class Reported(of: Stream[Message]) extends Stream[Message] {
    def next(): Async[Option[Message]] = of.next()
    def cancel(): Unit                 =
      try of.cancel()
      catch { case Survivable(e) => socket.report("the stream", e) }
  }

  private def send(message: Message): Async[Unit] =
    if (socket.send(message)) Async.unit else socket.whenWritable.flatMap(_ => send(message))
}

private object ReceivedMessages {
  val end: Async[Option[Message]] = Async.value(None)
}
