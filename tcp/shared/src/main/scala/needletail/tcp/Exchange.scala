package needletail.tcp

import scala.concurrent.duration.FiniteDuration

import needletail.async.{AsyncPromise, Timer}
import needletail.io.loop.LoopWork

/** Where an [[Exchange]] is: in a queue, or on a connection. */
private[tcp] trait ExchangePlace {

  /** The exchange ended before its answer arrived. */
  def abandoned(x: Exchange[_, _]): Unit

  /** The same, because its time is over. */
  def timedOut(x: Exchange[_, _]): Unit

  /** Takes it back, if nothing of it has been passed on, so that it is never sent. Returns whether. */
  def takeBack(x: Exchange[_, _]): Boolean

  /** How far it has got, in words. */
  def progressOf(x: Exchange[_, _]): String
}

/**
 * A request and the promise of its answer. Used on one loop only.
 *
 * @param answers whether an answer is expected; if not, `promise` completes with null when the message is on a connection
 * @param isFixed whether it belongs to one connection: it is never sent on another
 */
private[tcp] final class Exchange[I, O](
    val request: O,
    limit: FiniteDuration,
    val answers: Boolean,
    val isFixed: Boolean,
    context: ClientContext[I, O]
) extends Runnable
    with LoopWork {
  val promise = new AsyncPromise[I]
  context.loop.unendedWork.begins(this)

  /** Null before it is queued or sent, and when it is over. */
  var place: ExchangePlace = null

  /** On a connection: its bytes, until they are passed on; then null. */
  var encoded: Array[Byte] = null

  /** On a connection: the index of its first byte in the output, once that is known. */
  var sentFrom = Exchange.Unsent

  /** Whether it was on a connection, and will never be sent on it. */
  def isTakenBack: Boolean = encoded == null && sentFrom == Exchange.Unsent

  /** When its time is over, on the loop's clock. */
  val deadline: Long = context.loop.nowNanos + limit.toNanos

  private val timer: Timer = context.loop.schedule(limit.toNanos, this)
  promise.onCancel(() => leave())

  /** Whether its promise is complete. */
  def isOver: Boolean = promise.isCompleted

  def succeed(message: I): Unit = {
    leavePlace()
    if (!isOver) context.counts.add(ClientCounts.Answered, 1) // before its caller goes on
    promise.succeed(message)
    ()
  }

  def fail(error: TcpClientError): Unit = {
    leavePlace()
    if (!isOver) context.counts.add(ClientCounts.Failed, 1)
    promise.fail(error)
    ()
  }

  /** Its time is over. */
  def run(): Unit = if (!isOver) {
    val at      = place
    val what    = if (at == null) "it was not sent" else at.progressOf(this)
    val arrives = at != null && !at.takeBack(this)
    val error   = context.timedOut(limit, what, arrives)
    context.counts.add(ClientCounts.TimedOut, 1)
    fail(error)
    if (at != null) at.timedOut(this)
  }

  /** It was cancelled. */
  private def leave(): Unit = {
    val at = place
    leavePlace()
    if (at != null) at.abandoned(this)
  }

  private def leavePlace(): Unit = {
    context.loop.unendedWork.ends(this)
    timer.cancel()
    place = null
  }

  private[needletail] def loopEnded(): Unit = {
    if (place != null) { val _ = place.takeBack(this) }
    fail(context.closed(written = sentFrom != Exchange.Unsent))
  }
}

private[tcp] object Exchange {
  final val Unsent = Long.MaxValue
}
