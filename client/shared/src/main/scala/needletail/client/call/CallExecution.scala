package needletail.client.call

import needletail.async.{Async, AsyncPromise, Refused, Timer}
import needletail.client.config.ClientConfig
import needletail.client.connection.BodySender
import needletail.client.error.ClientError
import needletail.client.policy.{RedirectPolicy, RetryPolicy}
import needletail.client.pool.{HostCounts, PausedCall, PerLoopClient}
import needletail.client.url.Url
import needletail.http.ByteStream
import needletail.http.http1.ResponseHead
import needletail.http.message.{Headers, Method, Status}
import needletail.http.text.ByteWriter

/**
 * The execution of a call: its attempts, one after the other, on its host or where it is redirected to.
 *
 * It is always in one of these states: in a pool's queue (`line`), on a connection (`connection`), pausing before its
 * next attempt (`pause`), or complete.
 */
private[client] abstract class CallExecution[A](client: PerLoopClient, submitted: Call)
    extends HostedExchange(client, submitted)
    with PausedCall {
  protected final val config: ClientConfig = context.config
  protected final val promise              = new AsyncPromise[A]

  private var method: Method         = call.method
  private var target: String         = call.target
  private var headers: Headers       = call.headers
  private var content: Array[Byte]   = call.content
  private var source: ByteStream     = call.source
  private var streamTouched: Boolean = false // whether the source has been read from
  private var isCodingAsked          = false // whether the client decodes the response's content
  private var isSending              = false // whether the streamed content of the request is on its way

  private var attempts     = 0
  private var redirects    = 0
  private var pause: Timer = null

  /** Of the attempt before, which had no response, or only a part of one. */
  private var lastError: ClientError = null

  // Attempts

  final def begin(): Async[A] = {
    val now = context.loop.nowNanos
    startCall(now)
    promise.onCancel(() => cancelled())
    callAt(host, now)
    onLoop.counts.add(HostCounts.Calls, 1)
    attempt()
    Refused.later(promise)
  }

  private def attempt(): Unit = if (!promise.isCompleted) {
    val now = context.loop.nowNanos
    if (timeLeft <= 0 || call.deadline.hasPassed) fail(tooLate("it had not been sent"))
    else if (!takesPlace(now)) {
      onLoop.counts.add(HostCounts.Refused, 1)
      fail(if (lastError == null) new ClientError.BreakerOpen(host.name) else lastError)
    } else {
      attempts += 1
      isSentAgain = false
      onLoop.counts.add(HostCounts.Attempts, 1)
      submit(now)
    }
  }

  private def submit(now: Long): Unit = {
    startAttempt(now, mayRepeat)
    isSending = false
    enqueue(now)
  }

  // The request

  override final def isHead: Boolean = method eq Method.HEAD

  override final def mayPipeline: Boolean = isIdempotent && source == null && !isStreamed

  final def encode(w: ByteWriter): Unit = {
    RequestEncoder.head(w, method, target, host, headers)
    if (call.jar != null) CallCookies.write(w, call.jar, host.origin, target, headers, context.loop.nowMillis)
    isCodingAsked = ContentCoding.isAsked(context, call, method, headers)
    if (isCodingAsked) w.write(context.acceptEncoding)
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

  override final def contentLength: Long = call.sourceLength

  override final def awaitsContinue: Boolean = source != null && call.is(Call.ExpectContinue)

  private def isIdempotent: Boolean = (method.isIdempotent || call.is(Call.Repeatable)) && !call.is(Call.Once)

  /** Whether the content can be sent again. */
  private def hasContent: Boolean = source == null || !streamTouched

  private def mayRepeat: Boolean = isIdempotent && hasContent

  // Events of an attempt

  final def onSent(): Unit = {
    written()
    if (source != null && !awaitsContinue) {
      isSending = true
      extendForBody()
    }
  }

  override final def onContentSent(last: Boolean): Unit = {
    isSending = !last
    if (last && (answerStatus == null || !isStreamed)) endBody() else extendForBody()
  }

  override final def onContentTaken(): Unit = extendForContent()

  final def onHead(head: ResponseHead): Unit = {
    val received = Status(head.code)
    if (call.jar != null) CallCookies.keep(head, call.jar, host.origin, target, context.loop.nowMillis)
    val delay =
      if (RetryPolicy.isTransient(received.code) && mayRepeat) loop.retry.delay(attempts, head)
      else RetryPolicy.Never
    if (delay != RetryPolicy.Never) failedByStatus() // which may open the breaker
    if (delay != RetryPolicy.Never && mayRetry(delay)) {
      leaveConnection()
      concluded(good = false)
      lastError = null
      retryAfter(delay)
    } else {
      val location = if (follows(received.code)) head.indexOf("location", 0) else -1
      if (location < 0) accept(received, head)
      else {
        val to = head.value(location)
        leaveConnection()
        concluded(good = true)
        redirect(to)
      }
    }
  }

  private def accept(received: Status, head: ResponseHead): Unit = {
    answered(received)
    accepted(received, head)
  }

  /** This response is the result of the call; its content follows. */
  protected def accepted(status: Status, head: ResponseHead): Unit

  /** The coding that the client requested and decodes; null: the content is returned as it is. */
  protected final def codingOf(status: Status, head: ResponseHead): String =
    if (isCodingAsked) ContentCoding.of(status, head) else null

  /** The response is complete. */
  protected def completed(trailers: Headers): Unit

  /** The response is missing or incomplete. */
  protected def failed(error: ClientError): Unit

  final def onEnd(trailers: Headers): Unit = {
    concluded(good = answerStatus.code < 500)
    completed(trailers)
    if (promise.isCompleted) endCall()
  }

  final def onFailed(error: ClientError): Unit = error match {
    case lost: ClientError.ConnectionLost if isStale(lost) =>
      onLoop.counts.add(HostCounts.Stale, 1)
      needsFresh = true // a new connection cannot be stale
      if (lost.ending != ClientError.Ending.Announced) isSentAgain = true
      refresh()
      submit(context.loop.nowNanos)
    case _ =>
      concludedBy(error)
      val delay = loop.retry.delay(attempts)
      if (
        isUnseen && RetryPolicy.isTransient(error, timeLeft, host.balancer.isSingle) &&
        (mayRepeat || wasNotSent(error)) && mayRetry(delay)
      ) {
        lastError = error
        retryAfter(delay)
      } else fail(error)
  }

  // Retries

  /** At most once for each attempt, unless the server has said that it did not process the request. */
  private def isStale(lost: ClientError.ConnectionLost): Boolean =
    RetryPolicy.isStale(lost, isIdempotent) && answerStatus == null && hasContent && timeLeft > 0 &&
      !promise.isCompleted && (!isSentAgain || lost.ending == ClientError.Ending.Announced)

  /** Whether the caller has had nothing of a response, and no retry was decided against at its head. */
  private def isUnseen: Boolean =
    answerStatus == null || !isStreamed && !RetryPolicy.isTransient(answerStatus.code)

  /** Whether no byte of the request reached the host, so that sending it is not a repetition. */
  private def wasNotSent(error: ClientError): Boolean =
    !error.mayHaveArrived && hasContent && !call.is(Call.Once)

  /** If it returns true, it has taken a retry from the budget, so it is called last. */
  private def mayRetry(delay: Long): Boolean =
    !promise.isCompleted && !loop.isOver && wouldBeAdmitted(delay) &&
      loop.retry.allows(attempts, delay, timeLeft, host.budget)

  private def retryAfter(nanos: Long): Unit = {
    onLoop.counts.add(HostCounts.Retries, 1)
    loop.paused.add(this)
    pause = context.loop.schedule(
      nanos,
      () => {
        pause = null
        loop.paused.remove(this)
        attempt()
      }
    )
  }

  private def stopPause(): Unit = if (pause != null) {
    pause.cancel()
    pause = null
    loop.paused.remove(this)
    ()
  }

  // Redirections

  private def follows(code: Int): Boolean =
    RedirectPolicy.isRedirect(code) && config.maxRedirects > 0 && !call.is(Call.NoRedirects) &&
      RedirectPolicy.follows(code, method)

  private def redirect(location: String): Unit = {
    redirects += 1
    RedirectPolicy.next(
      new Url(host.origin, target),
      location,
      method,
      headers,
      redirects,
      config.maxRedirects
    ) match {
      case Left(why) => fail(new ClientError.BadRedirect(host.name, why))
      case Right(next) if !next.dropsContent && !hasContent =>
        fail(new ClientError.BadRedirect(host.name, "redirected, but its streamed body cannot be sent again"))
      case Right(next) =>
        method = next.method
        headers = next.headers
        if (next.dropsContent) dropContent()
        if (next.url.origin != host.origin) callAt(loop.registry.of(next.url.origin), context.loop.nowNanos)
        target = next.url.target
        attempts = 0
        lastError = null
        // by the end of the turn the connection may have received the rest of this response, and be free again
        context.loop.endOfTurn(() => attempt())
    }
  }

  private def dropContent(): Unit = {
    content = null
    if (source != null) BodySender.cancel(source)
    source = null
  }

  // The end of an attempt, and of the call

  /** The rest of the response is not needed: the connection may be reused. */
  protected final def leaveConnection(): Unit = connection.abandon(this, orderly = true)

  protected final def tooLate(what: String): ClientError =
    new ClientError.TimedOut(host.name, s"the response was not complete $limitText: $what")

  protected final def fail(error: ClientError): Unit = {
    endCall()
    try releaseSource()
    finally failed(named(error))
  }

  /** The error of this call, with its name. */
  protected final def named[E <: Throwable](error: E): E = {
    error match {
      case e: ClientError => e.of(Call.name(method, host, target))
      case _              => ()
    }
    error
  }

  private def releaseSource(): Unit = if (source != null && !streamTouched) BodySender.cancel(source)

  /** The response exceeds a limit of the client, such as its size: the call fails, and the connection is closed. */
  protected final def refuse(error: ClientError): Unit = {
    val c = connection
    concluded(good = true) // not a failure of the host
    if (c != null) c.abandon(this, orderly = false)
    fail(error)
  }

  final def clientClosed(): Unit = {
    stopPause()
    fail(new ClientError.ClientClosed(host.name))
  }

  private[needletail] final def loopEnded(): Unit = {
    leavePlace()
    val mayHaveArrived = wasSent
    withdrawn()
    fail(new ClientError.ClientClosed(host.name, mayHaveArrived))
  }

  private def leavePlace(): Unit =
    if (connection != null) connection.abandon(this, orderly = false)
    else if (pause != null) stopPause()
    else if (isTrying) leaveQueue()

  /** The caller has cancelled: leaves the queue or the connection; no further attempt is made. */
  protected final def cancelled(): Unit = {
    if (isTrying) onLoop.counts.add(HostCounts.Cancelled, 1)
    leavePlace()
    if (isOverdue) {
      onLoop.counts.add(HostCounts.Timeouts, 1)
      concluded(good = false)
    } else withdrawn()
    endCall() // until here the loop's end would give back what it holds, if a fatal error came in between
    releaseSource()
  }

  /** Whether the host has the whole request, and has not responded in the time there was for that. */
  private def isOverdue: Boolean = isTrying && wasSent && !isSending && answerStatus == null &&
    (call.deadline.hasPassed || call.headLimited != null && call.headLimited.timeLimit.hasPassed)

  protected final def hostName: String = host.name
}
