package needletail.client.call

import needletail.client.error.ClientError
import needletail.client.policy.{Breaker, Endpoint}
import needletail.client.pool.{Host, HostCounts, PerLoopClient, PerLoopHost}
import needletail.http.message.Status

/**
 * What a call holds of its host, which other calls and loops share: for each attempt an address, and a place there and
 * with the breaker. `concluded` or `withdrawn` gives back what an attempt holds and tells how it has ended. Whichever
 * comes first counts; they do nothing between attempts. A redirection may change the host between attempts.
 */
private[client] abstract class HostedExchange(
    protected final val loop: PerLoopClient,
    submitted: Call
) extends TimedExchange(loop.context, submitted) {
  private var present: Host         = call.host
  private var loopPart: PerLoopHost = null
  private var endpoint: Endpoint    = null  // of the current attempt; null between attempts
  private var failedAt: Endpoint    = null  // of the last attempt, if it failed
  private var admitted              = 0     // the breaker's generation of the current attempt
  private var isJudged              = false // whether the breaker has had its outcome, from a response's head
  private var received: Status      = null
  private var submittedAt, writtenAt = 0L

  protected final def host: Host = present

  /** Of the response that is returned; null before it has come. */
  protected final def answerStatus: Status = received

  /** The loop's part of the host. */
  protected final def onLoop: PerLoopHost = loopPart

  /** Whether an attempt is in progress. */
  protected final def isTrying: Boolean = endpoint != null

  /** Whether the request of the last attempt has been written. */
  protected final def wasSent: Boolean = writtenAt != 0

  /** Whether the response is read at the caller's pace. Then other requests must not wait for its end. */
  protected def isStreamed: Boolean

  /** The call goes to `other` from now on. */
  protected final def callAt(other: Host, now: Long): Unit = {
    present = other
    loopPart = loop.on(other)
    failedAt = null
    other.used(now)
    other.budget.earn()
  }

  /** Takes what an attempt needs; false if the breaker admits none. */
  protected final def takesPlace(now: Long): Boolean = {
    admitted = host.breaker.admit(now)
    if (admitted == Breaker.Rejected) false
    else {
      received = null // that of an attempt before, which was cut off
      isJudged = false
      refresh()
      endpoint = host.balancer.choose(now, failedAt)
      host.balancer.took(endpoint)
      true
    }
  }

  /** The host may have been forgotten since the last attempt. */
  protected final def refresh(): Unit = loopPart = loop.on(host)

  /** Sends it to the attempt's address, or has it wait there. */
  protected final def enqueue(now: Long): Unit = {
    submittedAt = now
    writtenAt = 0
    onLoop.pool(endpoint).submit(this)
  }

  /** It waits there no more. */
  protected final def leaveQueue(): Unit = { val _ = onLoop.pool(endpoint).remove(this) }

  /** Whether there are connections to the attempt's address, and not only such as are being established. */
  private def isConnected: Boolean = onLoop.pool(endpoint).isConnected

  /** The request has been written. */
  protected final def written(): Unit = {
    writtenAt = context.loop.clockNanos
    onLoop.counts.queued.record(context.loop.nowNanos - submittedAt)
  }

  /** The response is that of the call. */
  protected final def answered(by: Status): Unit = {
    received = by
    if (isStreamed && !isJudged)
      isJudged = host.breaker.answered(admitted, good = by.code < 500, context.loop.nowNanos)
  }

  /** The status of the response means that the attempt has failed, however the response ends. */
  protected final def failedByStatus(): Unit = if (endpoint != null && !isJudged) {
    host.breaker.failed(admitted, context.loop.nowNanos)
    isJudged = true
  }

  /** Whether the breaker would admit an attempt after that time, in nanoseconds. */
  protected final def wouldBeAdmitted(delay: Long): Boolean =
    host.breaker.wouldAdmit(context.loop.nowNanos + delay)

  protected final def concludedBy(error: ClientError): Unit = error match {
    case _: ClientError.QueueFull | _: ClientError.QueueTimeout | _: ClientError.BadRequestBody |
        _: ClientError.ClientClosed =>
      withdrawn() // not a failure of the host
    case _: ClientError.TimedOut if isCrowdedOut =>
      withdrawn() // it waited for other calls of this client
    case _: ClientError.TimedOut if received != null && !wantsContent =>
      withdrawn() // the caller has not read on, so nothing more was expected of the host
    case _ =>
      if (error.isInstanceOf[ClientError.TimedOut]) onLoop.counts.add(HostCounts.Timeouts, 1)
      concluded(good = false)
  }

  /** Whether it has only waited for a connection, although there are some: all were in use. */
  private def isCrowdedOut: Boolean = isTrying && !wasSent && isConnected

  protected final def concluded(good: Boolean): Unit = if (endpoint != null) {
    val now = context.loop.nowNanos
    host.balancer.gave(endpoint)
    if (wasSent) onLoop.counts.transit.record(context.loop.clockNanos - writtenAt)
    if (good) {
      if (!isJudged) host.breaker.succeeded(admitted, now)
      host.balancer.succeeded(endpoint)
      failedAt = null
    } else {
      onLoop.counts.add(HostCounts.Failures, 1)
      if (!isJudged) host.breaker.failed(admitted, now)
      host.balancer.failed(endpoint, now)
      failedAt = endpoint
    }
    endpoint = null
  }

  /** The attempt ends without a failure. A streamed response that has begun is judged by its status. */
  protected final def withdrawn(): Unit = if (endpoint != null && isStreamed && received != null) {
    writtenAt = 0 // it has no transit time, as the rest is missing
    concluded(good = received.code < 500)
  } else if (endpoint != null) {
    host.balancer.gave(endpoint)
    if (!isJudged) host.breaker.withdrawn(admitted)
    endpoint = null
  }
}
