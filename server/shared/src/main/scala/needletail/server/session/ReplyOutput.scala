package needletail.server.session

import needletail.http.{RequestView, Response, Upgrade}
import needletail.server.exchange.{BodyReader, ServerLoopContext, SessionOutput}

/**
 * What replies are written to: the loop's writer, whose content goes to the connection at the end of a turn, or earlier
 * if it has become much. What is large goes to the connection after it, without a copy.
 */
private[server] abstract class ReplyOutput(
    protected val wire: SessionOutput,
    private[server] val context: ServerLoopContext,
    protected val queue: ReplyQueue
) {

  /**
   * Whether more waits for the client than allowed. What this turn has written is passed on before this returns true:
   * if the kernel takes all of it at once, nothing else would tell the session to continue.
   */
  @inline def isBacklogged: Boolean =
    wire.pendingOutput + context.writer.length > context.maxPendingOutput && isStillBacklogged()

  @noinline private[server] def isStillBacklogged(): Boolean = {
    flush()
    wire.pendingOutput > context.maxPendingOutput
  }

  private var passedOn = 0L // in this turn

  def beginTurn(): Unit = passedOn = 0

  /** How much more this turn may write, so that the loop's other connections need not wait. */
  protected final def turnLeft: Long = ReplyOutput.TurnLimit - passedOn - context.writer.length

  /** Whether the rest has to wait for another turn. */
  @inline final def isTurnFull: Boolean = passedOn >= ReplyOutput.TurnLimit

  /** Bytes have been written that did not pass through this. */
  protected final def countWritten(bytes: Long): Unit = passedOn += bytes

  /** Passes on the content of the loop's writer. */
  def flush(): Unit = {
    val w = context.writer
    if (w.length > 0) {
      passedOn += w.length
      wire.write(w.bytes, 0, w.length)
      w.clear()
      queue.handedOver()
    }
  }

  /** Passes on the content of the loop's writer, and then these bytes, of which the loop's writer gets no copy. */
  protected def flushWith(bytes: Array[Byte], from: Int, count: Int, mayKeep: Boolean): Unit = {
    val w = context.writer
    passedOn += w.length + count.toLong
    if (w.length > 0) {
      wire.writeBoth(w.bytes, w.length, bytes, from, count, mayKeep)
      w.clear()
      queue.handedOver()
    } else if (mayKeep) wire.writeOwned(bytes, from, count)
    else wire.write(bytes, from, count)
  }

  /** Writes content after its head. Returns its length. */
  protected def writeContent(content: Array[Byte]): Int = {
    val w = context.writer
    if (content.length <= ReplyOutput.CopyLimit) {
      w.write(content)
      if (w.length > ReplyOutput.FlushLimit) flush()
    } else flushWith(content, 0, content.length, mayKeep = true)
    content.length
  }

  /** Writes the part of the request's content that `nextPart` has delivered. */
  protected def writePart(body: BodyReader): Unit = {
    val n = body.partLength
    if (n <= ReplyOutput.CopyLimit) context.writer.write(body.partBytes, body.partFrom, n)
    else flushWith(body.partBytes, body.partFrom, n, mayKeep = false)
    body.partWritten()
  }
}

private[server] object ReplyOutput {

  /**
   * Bytes that one turn writes, by however many replies: those that are encrypted take a loop milliseconds, and more
   * while the JVM has not compiled what encrypts them.
   */
  final val TurnLimit = 512 * 1024

  /** Content up to this many bytes is copied after its head and sent with it; more is written separately. */
  final val CopyLimit = 16 * 1024

  /** Whether the content of a streamed response is so short that it is copied after its head, if it is there at once. */
  def isCopied(response: Response, head: RequestView): Boolean = {
    val length = response.sourceLength
    Upgrade.of(response) == null && length > 0 && length <= CopyLimit && !head.method.isHead &&
    response.status.allowsBody
  }

  /** The loop's writer is emptied once it holds this many bytes. */
  final val FlushLimit = ServerLoopContext.WriterSize - 8 * 1024
}
