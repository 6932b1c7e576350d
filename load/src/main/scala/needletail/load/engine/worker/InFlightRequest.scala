package needletail.load.engine.worker

import needletail.client.connection.ClientExchange
import needletail.client.error.ClientError
import needletail.http.http1.ResponseHead
import needletail.http.message.Headers
import needletail.http.text.ByteWriter
import needletail.load.engine.compiled.{AnswerRules, CompiledRequest, PatternTooCostly}
import needletail.load.result.Outcome

/**
 * A request in flight: sends it, measures its latency, checks the answer and counts it. Reused for one request after
 * another, so that a constant request allocates nothing.
 */
private[engine] abstract class InFlightRequest(worker: Worker) extends ClientExchange {
  private var request: CompiledRequest = null
  private var values: Array[String]    = null // of the session; null if the request needs none
  private var due                      = 0L
  private var sent                     = 0L
  private var status                   = 0
  private var received                 = 0L
  private var accepted                 = true // whether every check has passed so far
  private var isSecond                 = false
  private var hasSurplus               = false
  private var body: ByteWriter         = null // the part of the body received so far, if it is checked

  /** The connection it is on, or waits for. */
  var slot: ConnectionSlot = null

  /** It has been counted; continues with the next request. */
  protected def over(now: Long, outcome: Outcome): Unit

  /** Sends it on another connection, as the server had closed this one. */
  protected def again(): Unit

  final def set(request: CompiledRequest, values: Array[String], due: Long): Unit = {
    this.request = request
    this.values = values
    this.due = due
    isSecond = false
    deadline = due + worker.timeoutNanos
  }

  final def current: CompiledRequest = request
  final def session: Array[String]   = values
  final def dueNanos: Long           = due
  final def sentNanos: Long          = sent

  override final def isHead: Boolean      = request.isHead
  override final def mayPipeline: Boolean = true

  final def encode(into: ByteWriter): Unit = {
    // Before it is written: if this thread lost the processor after the write, the latency would be too short.
    sent = worker.loop.clockNanos
    request.write(into, values)
  }

  final def onSent(): Unit = ()

  final def onHead(head: ResponseHead): Unit = {
    status = head.code
    received = 0
    hasSurplus = false
    accepted = !request.answer.seesHead || passes(request.answer.acceptHead(head, values))
    if (body != null) body.clear()
  }

  final def onContent(bytes: Array[Byte], from: Int, until: Int): Unit = {
    received += until - from
    if (request.answer.seesBody) {
      if (body == null) body = new ByteWriter(4 * 1024)
      val room = AnswerRules.MaxBody - body.length
      if (room > 0) body.write(bytes, from, math.min(room, until - from))
    }
  }

  override final def onSurplus(): Unit = hasSurplus = true

  final def onEnd(trailers: Headers): Unit = if (!worker.isStopped) {
    if (hasSurplus) {
      worker.note(Outcome.Garbage, InFlightRequest.surplus)
      fail(Outcome.Garbage)
    } else answered()
  }

  private def answered(): Unit = {
    val now     = worker.loop.clockNanos
    val outcome =
      if (!request.answer.isGood(status)) Outcome.BadStatus
      else if (accepted && (!request.answer.seesBody || acceptsBody)) Outcome.Good
      else Outcome.FailedCheck
    slot.lastAnswer = now
    worker.tally.answered(request.kind, outcome, status, due, sent, now, received)
    over(now, outcome)
  }

  /** The answer on a WebSocket: the next message. */
  final def onMessage(bytes: Array[Byte]): Unit = {
    status = CompiledRequest.MessageStatus
    received = 0
    accepted = true
    if (body != null) body.clear()
    onContent(bytes, 0, bytes.length)
    onEnd(null)
  }

  private def acceptsBody: Boolean = {
    if (body == null) body = new ByteWriter(16) // an empty body
    passes(request.answer.acceptBody(body, values))
  }

  /**
   * Java's patterns recurse: some use up the stack for a long text, and a server decides how long a text is. Others
   * would search for ever.
   */
  private def passes(check: => Boolean): Boolean = {
    val began = worker.loop.clockNanos
    try check
    catch {
      case _: StackOverflowError =>
        worker.note(Outcome.FailedCheck, InFlightRequest.tooComplex)
        false
      case e: PatternTooCostly =>
        worker.note(Outcome.FailedCheck, e)
        false
    } finally {
      val took = worker.loop.clockNanos - began
      if (took > InFlightRequest.CostlyNanos) worker.tally.searched(took)
    }
  }

  final def onFailed(error: ClientError): Unit = if (!worker.isStopped) {
    val isPassedOver = InFlightRequest.passedOver(error)
    if (isPassedOver || (!isSecond && InFlightRequest.crossed(error, sent - slot.lastAnswer))) {
      if (!isPassedOver) isSecond = true
      worker.tally.resent()
      again()
    } else {
      val outcome = InFlightRequest.outcomeOf(error)
      worker.note(outcome, error)
      fail(outcome)
    }
  }

  /** Ends it without a complete answer. */
  final def fail(outcome: Outcome): Unit = {
    val now = worker.loop.clockNanos
    worker.tally.failed(request.kind, outcome, due, now)
    over(now, outcome)
  }
}

private[engine] object InFlightRequest {
  private val tooComplex = new java.io.IOException("a pattern is too complex for a response of that length")

  private val surplus =
    new java.io.IOException("there were more bytes than the response's Content-Length or last chunk allows")

  /** The outcome of a request in flight that failed. Requests after one that was given up have its outcome. */
  def outcomeOf(error: ClientError): Outcome = error match {
    case _: ClientError.TimedOut          => Outcome.TimedOut
    case lost: ClientError.ConnectionLost =>
      if (lost.ending == ClientError.Ending.GivenUp) Outcome.TimedOut else Outcome.Reset
    case _: ClientError.Malformed | _: ClientError.TooLarge => Outcome.Garbage
    case _                                                  => Outcome.ConnectFailed
  }

  /** A check of a response that takes longer is counted: it keeps the loop from others. */
  final val CostlyNanos = 10L * 1000 * 1000

  /** A server may be about to close a connection that has been idle for this long. */
  final val IdleNanos = 100L * 1000 * 1000

  /**
   * Whether it was pipelined after one whose answer was announced as the connection's last. Then the server has not
   * processed it (RFC 9112 §9.6), and it is sent again, as often as that happens: each time one before it was
   * answered.
   */
  def passedOver(error: ClientError): Boolean = error match {
    case lost: ClientError.ConnectionLost => lost.ending == ClientError.Ending.Announced
    case _                                => false
  }

  /**
   * Whether a request crossed with the server's closing of an idle connection: the connection had served before and
   * ended without a byte of an answer, and either the kernel had taken nothing of the request, or the connection had
   * been idle for a while. Such a request is sent once more on a new connection, as every client does (RFC 9112
   * §9.3.1). If a server closes busy connections, requests are reset, and counted as reset.
   */
  def crossed(error: ClientError, idleNanos: Long): Boolean = error match {
    case lost: ClientError.ConnectionLost =>
      lost.reused && !lost.answered && (!lost.written || idleNanos >= IdleNanos)
    case _ => false
  }
}
