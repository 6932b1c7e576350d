package needletail.server

import scala.util.control.NonFatal
import scala.util.{Failure, Success, Try}

import needletail.async.Async
import needletail.io.Connection

/**
 * One connection of a [[Codec]]'s protocol: messages are answered one after another, in order. While an answer
 * is awaited, or the peer does not read its answers, nothing more is read.
 */
private[server] final class CodecConnection[I, O](
    connection: Connection,
    codec: Codec[I, O],
    settings: CodecSettings,
    answerTo: I => Async[Answer[O]],
    idle: () => Long
) extends ServedConnection(connection)
    with Runnable {
  private val decoder                   = codec.decoder()
  private var pending: Async[Answer[O]] = null
  private var arrived: Try[Answer[O]]   = null
  private var draining                  = false
  private var over                      = false
  private var idleSince                 = connection.loop.nowNanos
  settle()

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    var at = from
    var go = true
    while (go && !over && pending == null && connection.pendingBytes <= settings.maxPendingOutput)
      decode(bytes, at, until) match {
        case Decoded.More                => go = false
        case Decoded.Message(message, n) =>
          at = n
          ask(message)
        case Decoded.Bad(reason) =>
          codec.reject(reason).foreach(send)
          finish()
      }
    settle()
    if (over) until else at
  }

  private def decode(bytes: Array[Byte], from: Int, until: Int): Decoded[I] =
    if (from == until) Decoded.More
    else {
      val decoded = decoder.decode(bytes, from, until)
      if ((decoded eq Decoded.More) && until - from >= settings.maxMessage)
        Decoded.Bad("the message is too long")
      else decoded
    }

  private def ask(message: I): Unit = {
    val answer =
      try answerTo(message)
      catch { case NonFatal(e) => Async.fail(e) }
    if (answer.isCompleted) give(answer.poll.get)
    else {
      pending = answer
      answer.onComplete { result =>
        arrived = result
        if (connection.isOpen) connection.loop.endOfTurn(this)
      }
    }
  }

  /** The end of a turn in which an awaited answer came. */
  def run(): Unit = if (connection.isOpen && arrived != null) {
    val result = arrived
    arrived = null
    pending = null
    give(result)
    settle()
  }

  private def give(result: Try[Answer[O]]): Unit = result match {
    case Success(answer) =>
      answer.messages.foreach(send)
      if (answer.close || draining) finish()
    case Failure(e) =>
      settings.log.error("a handler failed", e)
      finish()
  }

  private def send(answer: O): Unit = {
    val bytes = codec.encode(answer)
    connection.writeOwned(bytes, 0, bytes.length)
  }

  private def finish(): Unit = if (!over) {
    over = true
    connection.closeGracefully(settings.lingerNanos, settings.maxMessage * 16)
  }

  def onEnd(): Unit = if (pending == null) finish() else draining = true

  def onDrained(): Unit = settle()

  def onDeadline(): Unit = {
    if (connection.pendingBytes > 0) connection.abort() else if (pending == null) finish()
    settle()
  }

  def idleTimeoutChanged(nanos: Long): Unit =
    if (!over && pending == null && connection.pendingBytes == 0) connection.deadline = idleSince + nanos

  def drain(): Unit = {
    draining = true
    if (pending == null && connection.pendingBytes == 0) finish()
  }

  protected def closed(cause: Throwable): Unit = {
    over = true
    if (pending != null) pending.cancel()
  }

  private def settle(): Unit = if (connection.isOpen && !over) {
    val wants = pending == null && connection.pendingBytes <= settings.maxPendingOutput
    if (wants && connection.isPaused) connection.resumeReading()
    else if (!wants && !connection.isPaused) connection.pauseReading()
    idleSince = connection.loop.nowNanos
    connection.deadline =
      if (connection.pendingBytes > 0) idleSince + settings.writeNanos
      else if (pending == null) idleSince + idle()
      else Long.MaxValue
  }
}

/** Bounds of a [[CodecConnection]], taken from the server's config. */
private[server] final case class CodecSettings(
    maxMessage: Int,
    maxPendingOutput: Int,
    writeNanos: Long,
    lingerNanos: Long,
    log: Log
)
