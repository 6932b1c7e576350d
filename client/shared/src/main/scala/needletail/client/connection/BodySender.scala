package needletail.client.connection

import needletail.async.{Result, ResultListener, Survivable, Timer}
import needletail.http.{ByteStream, ResponseEncoder}
import needletail.io.EventLoop
import needletail.io.loop.FailureLog
import needletail.io.platform.Fallible

/**
 * Sends the streamed content of a request: requests the next piece once the kernel has accepted most of the previous
 * ones. When all that was announced has been sent, a source that does not say at once that it has ended is cancelled: the
 * response does not wait for it.
 *
 * @param length bytes announced, or -1 for the chunked coding
 */
private[client] final class BodySender(
    output: ContentOutput,
    x: ClientExchange,
    source: ByteStream,
    length: Long,
    context: ClientLoopContext
) extends ResultListener[Option[Array[Byte]]]
    with Runnable
    with Fallible {
  private var sent            = 0L
  private var isDone          = false
  private var waits           = false // for 100 (Continue)
  private var turnAsked       = false
  private var patience: Timer = null

  /** Sends nothing before 100 (Continue) or before that many nanoseconds have passed (RFC 9110 §10.1.1). */
  def awaitContinue(nanos: Long): Unit = {
    waits = true
    patience = context.loop.schedule(nanos, () => goOn())
  }

  /** 100 (Continue) has been received, or the wait for it is over. */
  def goOn(): Unit = if (waits) {
    waits = false
    patience.cancel()
    pump()
    output.settle()
  }

  /** Sends as long as pieces are available and the connection accepts them. */
  def pump(): Unit = if (!waits) {
    val stop = sent + BodySender.PumpLimit
    var left = BodySender.PumpPieces
    var go   = true
    while (go && !isDone && !isListening)
      if (output.pendingOutput > context.config.maxPendingOutput) go = false
      else if (sent >= stop || left == 0) { // a fast source must not delay the loop's other connections
        go = false
        if (!turnAsked) {
          turnAsked = true
          output.endOfTurn(this)
        }
      } else
        try {
          val piece = source.next()
          val now   = piece.resultOrNull
          left -= 1
          if (isDone) piece.cancel() // the source has ended the call
          else if (now != null) take(now)
          else if (sent == length) {
            piece.cancel()
            if (!isDone) {
              leave()
              complete()
            }
          } else listen(piece)
        } catch { case Survivable(e) => fail(e) }
  }

  def run(): Unit = {
    turnAsked = false
    if (!isDone) {
      pump()
      output.settle()
    }
  }

  private[needletail] def failed(cause: Throwable): Unit = fail(cause)

  def completed(result: Result[Option[Array[Byte]]]): Unit = if (!isDone) {
    try take(result)
    catch { case Survivable(e) => fail(e) } // no piece: null
    pump()
    output.settle()
  }

  private def take(result: Result[Option[Array[Byte]]]): Unit =
    if (!result.isValue) fail(result.error)
    else
      result.value match {
        case Some(null) =>
          fail(new NullPointerException("a stream gave a null piece")) // natively nobody else tells
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
              output.writeContent(ResponseEncoder.lastChunk, 0, ResponseEncoder.lastChunk.length)
            isDone = true
            complete()
          }
      }

  private def complete(): Unit = {
    output.contentComplete()
    x.onContentSent(last = true)
  }

  private def write(piece: Array[Byte]): Unit =
    if (length >= 0) output.writeContentOwned(piece)
    else {
      val w = context.writer
      w.clear()
      ResponseEncoder.chunkHead(w, piece.length)
      if (piece.length <= BodySender.CopyLimit) w.write(piece)
      else {
        output.writeContent(w.bytes, 0, w.length)
        w.clear()
        output.writeContentOwned(piece)
      }
      w.writeCrLf()
      output.writeContent(w.bytes, 0, w.length)
    }

  private def wrongLength(what: String): Unit = {
    leave()
    output.contentFailed(s"the request's body has $what bytes than the $length announced", null)
  }

  private def fail(by: Throwable): Unit = if (!isDone) {
    val cause = if (by == null) new NullPointerException("it failed with null") else by
    leave()
    output.contentFailed(s"the request's body failed: ${FailureLog.messageOf(cause)}", cause)
  }

  /** Sends nothing more, and cancels the source. */
  def stop(): Unit = if (!isDone) {
    if (patience != null) patience.cancel()
    withdraw()
    leave()
  }

  /** Ends the use of the source. */
  private def leave(): Unit = {
    isDone = true
    BodySender.cancel(source)
  }
}

private[client] object BodySender {

  /** Bytes of a stream that are sent in one turn. */
  final val PumpLimit = 512 * 1024

  /** Pieces of a stream that are sent in one turn: small and empty ones take time, too. */
  final val PumpPieces = 256

  /** Largest piece, in bytes, that is sent with its chunk's frame in one write. */
  final val CopyLimit = 32 * 1024

  /** An exception of a user's stream must not keep its call from ending. */
  def cancel(source: ByteStream): Unit =
    try source.cancel()
    catch { case Survivable(e) => EventLoop.report("cancelling a request's streamed body failed", e) }
}
