package needletail.client

import needletail.async.{Async, Promise, Survivable, Timer}
import needletail.http._
import needletail.io.EventLoop

/**
 * One call under way: its attempts, one after the other, on this host or where it was sent on to.
 *
 * At each moment it is one of: in a pool's queue (`line`), on a connection (`connection`), resting before its next
 * attempt (`rest`), or over.
 */
private[client] abstract class Sending[A](loop: ClientLoop, call: Call) extends Exchange {
  import Sending.*

  protected final val context: LoopContext = loop.context
  protected final val config: ClientConfig = context.config
  protected final val promise              = new Promise[A]

  private var host: Host             = call.host
  private var onLoop: HostOnLoop     = null
  private var endpoint: Endpoint     = null // while an attempt is under way
  private var failedAt: Endpoint     = null // the last attempt's
  private var method: Method         = call.method
  private var target: String         = call.target
  private var headers: Headers       = call.headers
  private var content: Array[Byte]   = call.content
  private var source: ByteStream     = call.source
  private var streamTouched: Boolean = false

  private var attempts    = 0
  private var redirects   = 0
  private var rest: Timer = null

  /** When all must be over, and what to call that in a message. */
  private var callEnd: Long       = 0
  private var bodyPhase           = false // the streamed bodies' own limits count now
  private var submittedAt, sentAt = 0L

  // the beginning

  final def begin(): Async[A] = {
    val now = context.loop.nowNanos
    callEnd = now + limitNanos
    if (call.deadline.isSet && call.deadline.nanos - callEnd < 0) callEnd = call.deadline.nanos
    promise.onCancel(() => cancelled())
    onLoop = loop.on(host)
    onLoop.counts.add(HostCounts.Calls, 1)
    host.used(now)
    host.budget.earn()
    attempt()
    promise
  }

  /** Half the range keeps differences of times exact. */
  private def limitNanos: Long =
    if (call.limit != null) math.min(call.limit.toNanos, Long.MaxValue / 2) else context.requestNanos

  override final def limitText: String =
    if (bodyPhase) s"within ${config.bodyTimeout.toMillis} ms of its last octets"
    else if (call.deadline.isSet && callEnd == call.deadline.nanos) "before the deadline of who asked"
    else if (deadline - callEnd < 0) s"within ${config.attemptTimeout.fold(0L)(_.toMillis)} ms"
    else s"within ${(if (call.limit != null) call.limit else config.requestTimeout).toMillis} ms"

  private def attempt(): Unit = if (!promise.isCompleted) {
    val now = context.loop.nowNanos
    if (callEnd - now <= 0 || call.deadline.hasPassed) fail(tooLate("it was not sent any more"))
    else if (!host.breaker.admit(now)) {
      onLoop.counts.add(HostCounts.Refused, 1)
      fail(new ClientError.BreakerOpen(host.name))
    } else {
      attempts += 1
      onLoop = loop.on(host) // another one than before, where the host was forgotten meanwhile
      endpoint = host.balancer.choose(now, failedAt)
      host.balancer.took(endpoint)
      onLoop.counts.add(HostCounts.Attempts, 1)
      submit(now)
    }
  }

  private def submit(now: Long): Unit = {
    bodyPhase = false
    deadline = callEnd
    if (config.attemptTimeout.isDefined && mayRepeat)
      deadline = math.min(callEnd, now + config.attemptTimeout.get.toNanos)
    submittedAt = now
    sentAt = 0
    onLoop.pool(endpoint).submit(this)
  }

  // what the connection asks

  override final def isHead: Boolean = method eq Method.HEAD

  override final def mayPipeline: Boolean = isIdempotent && source == null && !isStreamed

  /** Is the answer read at the pace of who asked, so that others should not wait behind it? */
  protected def isStreamed: Boolean

  final def encode(w: ByteWriter): Unit = {
    RequestEncoder.head(w, method, target, host, headers)
    if (source != null) RequestEncoder.announce(w, call.sourceLength, awaitsContinue)
    else if (content != null || RequestEncoder.expectsContent(method))
      RequestEncoder.announce(w, if (content == null) 0L else content.length.toLong, continue = false)
    w.writeCrLf()
    if (content != null && content.length <= RequestEncoder.CopyLimit) w.write(content)
  }

  override final def largeContent: Array[Byte] =
    if (content != null && content.length > RequestEncoder.CopyLimit) content else null

  override final def contentStream: ByteStream = {
    if (source != null) streamTouched = true
    source
  }
  override final def contentLength: Long     = call.sourceLength
  override final def awaitsContinue: Boolean = source != null && call.is(Call.ExpectContinue)

  // what the connection tells

  final def onSent(): Unit = {
    sentAt = context.loop.clockNanos
    onLoop.counts.queued.record(context.loop.nowNanos - submittedAt)
    if (source != null && !awaitsContinue) extend()
  }

  override final def onContentSent(last: Boolean): Unit =
    if (!last) extend()
    else if (bodyPhase) {
      // the answer has the time a call without a body has
      bodyPhase = false
      callEnd = context.loop.nowNanos + limitNanos
      if (call.deadline.isSet) callEnd = math.min(callEnd, call.deadline.nanos)
      deadline = callEnd
    }

  /** A streamed body moves: it has as long as it keeps moving, up to the deadline of who asked. */
  protected final def extend(): Unit = {
    bodyPhase = true
    deadline = context.loop.nowNanos + context.bodyNanos
    if (call.deadline.isSet && call.deadline.nanos - deadline < 0) {
      bodyPhase = false
      callEnd = call.deadline.nanos
      deadline = callEnd
    }
  }

  final def onHead(head: ResponseHead): Unit = {
    val status = Status(head.code)
    val delay  = if (isTransient(status.code) && mayRepeat) retryDelay(head) else Long.MaxValue
    if (delay <= config.retry.maxDelay.toNanos && allowed(delay)) {
      leave()
      concluded(good = false)
      pause(delay)
    } else if (Redirection.isOne(status.code) && follows(status.code)) {
      val location = head.indexOf("location", 0)
      val to       = if (location < 0) null else head.value(location)
      if (to == null) answer(status, head)
      else {
        leave()
        concluded(good = true)
        redirect(to)
      }
    } else answer(status, head)
  }

  private def answer(status: Status, head: ResponseHead): Unit = {
    answerStatus = status
    accepted(status, head)
  }
  private var answerStatus: Status = null

  /** The answer is the one to give; its content follows. */
  protected def accepted(status: Status, head: ResponseHead): Unit

  /** The whole answer has come. */
  protected def completed(trailers: Headers): Unit

  /** There will be no answer, or no more of it. */
  protected def failed(error: ClientError): Unit

  final def onEnd(trailers: Headers): Unit = {
    concluded(good = answerStatus.code < 500)
    completed(trailers)
  }

  final def onFailed(error: ClientError): Unit = error match {
    case lost: ClientError.ConnectionLost if isStale(lost) =>
      // the server closed it just as it was taken: on a fresh connection nothing of the kind can happen
      onLoop.counts.add(HostCounts.Stale, 1)
      needsFresh = true
      submit(context.loop.nowNanos)
    case _ =>
      concludedBy(error)
      val delay = loop.backoff.nanos(attempts)
      if (isRepeatable(error) && (mayRepeat || mayBeSent(error)) && allowed(delay)) pause(delay)
      else fail(error)
  }

  // retries

  /** RFC 9112 §9.3.1: not one octet of the answer came, and it is idempotent or none of it had left. */
  private def isStale(lost: ClientError.ConnectionLost): Boolean =
    !lost.answered && lost.reused && answerStatus == null && hasContent &&
      (!lost.written || isIdempotent) && callEnd - context.loop.nowNanos > 0 && !promise.isCompleted

  private def isIdempotent: Boolean = (method.isIdempotent || call.is(Call.Repeatable)) && !call.is(Call.Once)

  /** Is the content still there to be sent again? */
  private def hasContent: Boolean = source == null || !streamTouched

  private def mayRepeat: Boolean = isIdempotent && hasContent

  /** Has the host seen nothing of it, so that sending it is no repetition? */
  private def mayBeSent(error: ClientError): Boolean =
    !error.mayHaveArrived && hasContent && !call.is(Call.Once)

  private def isRepeatable(error: ClientError): Boolean = answerStatus == null && (error match {
    case _: ClientError.CannotConnect | _: ClientError.ConnectionLost => true
    case _: ClientError.TimedOut                                      => callEnd - context.loop.nowNanos > 0
    case _                                                            => false
  })

  /** Is there an attempt left, time for it after that delay, and budget? Asked last, since it takes from that. */
  private def allowed(delay: Long): Boolean =
    attempts < config.retry.attempts && callEnd - context.loop.nowNanos > delay && !promise.isCompleted && !loop.isOver &&
      host.budget.spend()

  /** Nanoseconds: what backing off asks for, or Retry-After in seconds where that is more (RFC 9110 §10.2.3). */
  private def retryDelay(head: ResponseHead): Long = {
    val field = head.indexOf("retry-after", 0)
    val text  = if (field < 0) "" else head.value(field)
    // a date would need a clock that both sides agree on; it is not worth the trouble
    val asked =
      if (text.nonEmpty && text.length <= 6 && text.forall(c => c >= '0' && c <= '9')) text.toLong else 0L
    math.max(loop.backoff.nanos(attempts), asked * 1000000000L)
  }

  private def pause(nanos: Long): Unit = {
    onLoop.counts.add(HostCounts.Retries, 1)
    loop.resting.append(this)
    rest = context.loop.schedule(
      nanos,
      () => {
        rest = null
        loop.resting.remove(this)
        attempt()
      }
    )
  }

  // redirections

  private def follows(code: Int): Boolean =
    config.maxRedirects > 0 && !call.is(Call.NoRedirects) && Redirection.follows(code, method)

  private def redirect(location: String): Unit = {
    redirects += 1
    if (redirects > config.maxRedirects)
      fail(new ClientError.BadRedirect(host.name, s"more than ${config.maxRedirects} redirections"))
    else
      new Url(host.origin, target).resolve(location) match {
        case Left(why) =>
          fail(new ClientError.BadRedirect(host.name, s"cannot be redirected to '$location': $why"))
        case Right(url) =>
          if (!method.isSafe) { // POST becomes GET, and any other where 303 says so
            method = Method.GET
            content = null
            if (source != null) {
              cancelSource()
              source = null
            }
            headers = Redirection.withoutContent(headers)
          }
          if (url.origin != host.origin) {
            if (url.origin.address.isInstanceOf[needletail.io.Address.Unix]) {
              // a server of the network has no business with the sockets of this machine
              fail(new ClientError.BadRedirect(host.name, "redirected to a Unix socket"))
              return
            }
            headers = Redirection.withoutCredentials(headers)
            host = loop.client.hostOf(url.origin)
            onLoop = loop.on(host)
            host.used(context.loop.nowNanos)
            host.budget.earn()
          }
          target = url.target
          attempts = 0
          failedAt = null
          // by then the rest of this answer has been read, if it came at once, and the connection is free again
          context.loop.endOfTurn(() => attempt())
      }
  }

  // the end of an attempt, and of all

  /** What is left of the answer is not wanted: the connection may go on. */
  private def leave(): Unit = connection.abandon(this, orderly = true)

  private def concludedBy(error: ClientError): Unit = error match {
    case _: ClientError.QueueFull | _: ClientError.QueueTimeout | _: ClientError.BadRequestBody |
        _: ClientError.ClientClosed =>
      withdrawn() // they tell nothing about the host
    case _ =>
      if (error.isInstanceOf[ClientError.TimedOut]) onLoop.counts.add(HostCounts.Timeouts, 1)
      concluded(good = false)
  }

  private def concluded(good: Boolean): Unit = if (endpoint != null) {
    val now = context.loop.nowNanos
    host.balancer.gave(endpoint)
    if (sentAt != 0) onLoop.counts.transit.record(context.loop.clockNanos - sentAt)
    if (good) {
      host.breaker.succeeded(now)
      host.balancer.succeeded(endpoint)
      failedAt = null
    } else {
      onLoop.counts.add(HostCounts.Failures, 1)
      host.breaker.failed(now)
      host.balancer.failed(endpoint, now)
      failedAt = endpoint
    }
    endpoint = null
  }

  private def withdrawn(): Unit = if (endpoint != null) {
    host.balancer.gave(endpoint)
    host.breaker.withdrawn()
    endpoint = null
  }

  private def tooLate(what: String): ClientError =
    new ClientError.TimedOut(host.name, s"the answer was not complete $limitText: $what")

  private def fail(error: ClientError): Unit = {
    letGoOfSource()
    failed(error)
  }

  private def letGoOfSource(): Unit = if (source != null && !streamTouched) cancelSource()

  /** What a user's stream throws must not keep the call from coming to its end. */
  private def cancelSource(): Unit =
    try source.cancel()
    catch { case Survivable(e) => EventLoop.report("a request's streamed body failed to be cancelled", e) }

  /** What failed belongs to the answer's own rules, such as its size: the connection, mid-answer, ends with it. */
  protected final def refuse(error: ClientError): Unit = {
    val c = connection
    concluded(good = true) // it is our limit, not the host's fault
    if (c != null) c.abandon(this, orderly = false)
    fail(error)
  }

  final def clientClosed(): Unit = {
    stopResting()
    fail(new ClientError.ClientClosed(host.name))
  }

  /** Nobody is interested any more: out of the queue, off the connection, no further attempt. */
  protected final def cancelled(): Unit = {
    if (endpoint != null) onLoop.counts.add(HostCounts.Cancelled, 1)
    if (connection != null) connection.abandon(this, orderly = false)
    else if (rest != null) stopResting()
    else if (endpoint != null) onLoop.pool(endpoint).remove(this)
    withdrawn()
    letGoOfSource()
  }

  private def stopResting(): Unit = if (rest != null) {
    rest.cancel()
    rest = null
    loop.resting.remove(this)
  }

  protected final def hostName: String = host.name
}

private[client] object Sending {

  /** Statuses that say "not now" rather than "no". */
  private def isTransient(code: Int): Boolean = code == 502 || code == 503 || code == 504
}
