package needletail.client.call

import needletail.client.connection.{ClientExchange, ClientLoopContext}
import needletail.io.loop.LoopWork

/**
 * The time limits of a call: `requestTimeout` or the call's own, the deadline of an incoming request, `attemptTimeout`,
 * and `bodyTimeout` while a streamed body is sent or received; and the end of its loop. Times are nanoseconds of the
 * loop's clock.
 */
private[client] abstract class TimedExchange(
    protected final val context: ClientLoopContext,
    protected final val call: Call
) extends ClientExchange
    with LoopWork {
  private var callEnd   = 0L
  private var inBody    = false // whether a streamed body is being sent or received
  private var bodyPhase = false // whether `bodyTimeout` applies now: not where the call's deadline is nearer

  /** The call's deadline, a little earlier: who has a request to answer by then can still say what failed. */
  private var due = 0L

  /** The call begins. */
  protected final def startCall(now: Long): Unit = {
    context.loop.unendedWork.begins(this)
    callEnd = now + limitNanos
    if (call.deadline.isSet) {
      due = call.deadline.nanos
      due -= math.min(TimedExchange.LeadNanos, math.max(0L, due - now) / 10)
      if (due - callEnd < 0) callEnd = due
    }
  }

  /** The call has ended. May be called more than once. */
  protected final def endCall(): Unit = context.loop.unendedWork.ends(this)

  /** An attempt begins. `repeatable`: it has the time limit of an attempt, as another one may follow. */
  protected final def startAttempt(now: Long, repeatable: Boolean): Unit = {
    inBody = false
    bodyPhase = false
    deadline = callEnd
    if (context.config.attemptTimeout.isDefined && repeatable)
      deadline = math.min(callEnd, now + context.config.attemptTimeout.get.toNanos)
  }

  /** The time left for the call; 0 or less if it is over. */
  protected final def timeLeft: Long = callEnd - context.loop.nowNanos

  /** A streamed body made progress: extends the deadline by `bodyTimeout`, up to the call's deadline. */
  protected final def extendForBody(): Unit = {
    inBody = true
    bodyPhase = true
    deadline = context.loop.nowNanos + context.bodyNanos
    if (call.deadline.isSet && due - deadline < 0) {
      bodyPhase = false
      callEnd = due
      deadline = callEnd
    }
  }

  /** A streamed request body is complete, and no response streams yet: it has the time of a call without a body. */
  protected final def endBody(): Unit = if (inBody) {
    inBody = false
    bodyPhase = false
    restartCall()
  }

  /** What has been handed over of a streamed request body is still being taken by the system. */
  protected final def extendForContent(): Unit = if (inBody) extendForBody() else restartCall()

  private def restartCall(): Unit = {
    callEnd = context.loop.nowNanos + limitNanos
    if (call.deadline.isSet) callEnd = math.min(callEnd, due)
    deadline = callEnd
  }

  /** At most half the range of Long, so that differences of times do not overflow. */
  private def limitNanos: Long =
    if (call.limit != null) math.min(call.limit.toNanos, Long.MaxValue / 2) else context.requestNanos

  override final def limitText: String = {
    val config = context.config
    if (bodyPhase) s"within ${config.bodyTimeout.toMillis} ms of its last bytes"
    else if (call.deadline.isSet && callEnd == due)
      "before the deadline of the request it was made for"
    else if (deadline - callEnd < 0) s"within ${config.attemptTimeout.fold(0L)(_.toMillis)} ms"
    else s"within ${(if (call.limit != null) call.limit else config.requestTimeout).toMillis} ms"
  }
}

private object TimedExchange {
  private final val LeadNanos = 10L * 1000 * 1000
}
