package needletail.client

import needletail.async.{Listener, Result, Survivable, Timer}
import needletail.http.{ByteStream, ResponseEncoder}
import needletail.io.{EventLoop, Fallible}

/**
 * Sends the streamed content of a request: asks for a piece when the kernel has taken most of the last ones.
 *
 * @param length octets announced, or -1 for the chunked coding
 */
private[client] final class BodySender(
    connection: ClientConnection,
    x: Exchange,
    source: ByteStream,
    length: Long,
    context: LoopContext
) extends Listener[Option[Array[Byte]]]
    with Runnable
    with Fallible {
  private var sent            = 0L
  private var isDone          = false
  private var waits           = false // for 100 (Continue)
  private var turnAsked       = false
  private var patience: Timer = null

  /** Sends nothing before 100 (Continue) has come, or so many nanoseconds have passed (RFC 9110 §10.1.1). */
  def awaitContinue(nanos: Long): Unit = {
    waits = true
    patience = context.loop.schedule(nanos, () => goOn())
  }

  def goOn(): Unit = if (waits) {
    waits = false
    patience.cancel()
    pump()
    connection.settle()
  }

  /** Sends while pieces are there and the connection takes them. */
  def pump(): Unit = if (!waits) {
    val stop = sent + BodySender.PumpLimit
    var go   = true
    while (go && !isDone && !isListening)
      if (connection.pendingOutput > context.config.maxPendingOutput) go = false
      else if (sent >= stop) { // the loop's other connections shall not wait for a fast source
        go = false
        if (!turnAsked) {
          turnAsked = true
          connection.endOfTurn(this)
        }
      } else
        try {
          val piece = source.next()
          val now   = piece.resultOrNull
          if (now != null) take(now) else listen(piece)
        } catch { case Survivable(e) => fail(e) }
  }

  def run(): Unit = {
    turnAsked = false
    if (!isDone) {
      pump()
      connection.settle()
    }
  }

  private[needletail] def failed(cause: Throwable): Unit = fail(cause)

  def completed(result: Result[Option[Array[Byte]]]): Unit = if (!isDone) {
    take(result)
    pump()
    connection.settle()
  }

  private def take(result: Result[Option[Array[Byte]]]): Unit =
    if (!result.isValue) fail(result.error)
    else
      result.value match {
        case Some(piece) =>
          if (length >= 0 && sent + piece.length > length)
            wrongLength("more")
          else if (piece.length > 0) {
            write(piece)
            sent += piece.length
            x.onContentSent(last = false)
          }
        case None =>
          if (length >= 0 && sent < length) wrongLength("fewer")
          else {
            if (length < 0)
              connection.writeContent(ResponseEncoder.lastChunk, 0, ResponseEncoder.lastChunk.length)
            isDone = true
            connection.contentComplete()
            x.onContentSent(last = true)
          }
      }

  private def write(piece: Array[Byte]): Unit =
    if (length >= 0) connection.writeContentOwned(piece)
    else {
      val w = context.writer
      w.clear()
      ResponseEncoder.chunkHead(w, piece.length)
      if (piece.length <= BodySender.CopyLimit) w.write(piece)
      else {
        connection.writeContent(w.bytes, 0, w.length)
        w.clear()
        connection.writeContentOwned(piece)
      }
      w.writeCrLf()
      connection.writeContent(w.bytes, 0, w.length)
    }

  private def wrongLength(what: String): Unit = {
    leave()
    connection.contentFailed(s"the request's body has $what octets than the $length announced", null)
  }

  private def fail(cause: Throwable): Unit = if (!isDone) {
    leave()
    connection.contentFailed(s"the request's body failed: ${cause.getMessage}", cause)
  }

  /** Nothing more is to be sent. */
  def stop(): Unit = if (!isDone) {
    if (patience != null) patience.cancel()
    withdraw()
    leave()
  }

  /** The source is not asked any more. */
  private def leave(): Unit = {
    isDone = true
    try source.cancel()
    catch { case Survivable(e) => EventLoop.report("a request's streamed body failed to be cancelled", e) }
  }
}

private[client] object BodySender {

  /** Octets of a stream that one turn sends. */
  final val PumpLimit = 512 * 1024

  /** A piece up to this size goes out with its chunk's frame in one write. */
  final val CopyLimit = 32 * 1024
}
