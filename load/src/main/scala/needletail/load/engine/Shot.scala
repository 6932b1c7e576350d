package needletail.load.engine

import needletail.client.{ClientError, Exchange}
import needletail.http.{ByteWriter, Headers, ResponseHead}
import needletail.load.result.Outcome

/**
 * A request under way: sent, measured, judged and counted. Used again for one request after the other, so that a
 * request that is always the same costs no garbage.
 */
private[engine] abstract class Shot(worker: Worker) extends Exchange {
  private var request: CompiledRequest = null
  private var values: Array[String]    = null // of the session; null where the request needs none
  private var due                      = 0L
  private var sent                     = 0L
  private var status                   = 0
  private var received                 = 0L
  private var accepted                 = true // has every check passed so far?
  private var isSecond                 = false
  private var body: ByteWriter         = null // what came of a body that is looked at

  /** The connection it is on, or waits for. */
  var seat: Seat = null

  /** It has been counted; what is next? */
  protected def over(now: Long, outcome: Outcome): Unit

  /** Sends it on another connection: the server had closed this one. */
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
    // Before it is written: whoever is put off the processor after that would see an answer sooner than it came.
    sent = System.nanoTime()
    request.write(into, values)
  }

  final def onSent(): Unit = ()

  final def onHead(head: ResponseHead): Unit = {
    status = head.code
    received = 0
    accepted = !request.answer.seesHead || request.answer.acceptHead(head, values)
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

  final def onEnd(trailers: Headers): Unit = if (!worker.isStopped) {
    val now     = System.nanoTime()
    val outcome =
      if (!request.answer.isGood(status)) Outcome.BadStatus
      else if (accepted && (!request.answer.seesBody || acceptsBody)) Outcome.Good
      else Outcome.FailedCheck
    seat.lastAnswer = now
    worker.tally.answered(request.kind, outcome, status, due, sent, now, received)
    over(now, outcome)
  }

  private def acceptsBody: Boolean = {
    if (body == null) body = new ByteWriter(16) // nothing came
    request.answer.acceptBody(body, values)
  }

  final def onFailed(error: ClientError): Unit = if (!worker.isStopped) {
    val isPassedOver = Shot.passedOver(error)
    if (isPassedOver || (!isSecond && Shot.crossed(error, sent - seat.lastAnswer))) {
      if (!isPassedOver) isSecond = true
      worker.tally.resent()
      again()
    } else {
      val outcome = Seat.outcomeOf(error)
      worker.note(outcome, error)
      fail(outcome)
    }
  }

  /** It ends without a complete answer. */
  final def fail(outcome: Outcome): Unit = {
    val now = System.nanoTime()
    worker.tally.failed(request.kind, outcome, due, now)
    over(now, outcome)
  }
}

private[engine] object Shot {

  /** A connection that has not been used for so long may be one that the server is about to close. */
  final val IdleNanos = 100L * 1000 * 1000

  /**
   * Was it pipelined behind one whose answer said that it was the connection's last? Then the server has not looked at
   * it (RFC 9112 §9.6), and it is sent again, as often as that happens: each time one before it was answered.
   */
  def passedOver(error: ClientError): Boolean = error match {
    case lost: ClientError.ConnectionLost => lost.ending == ClientError.Ending.Announced
    case _                                => false
  }

  /**
   * Did a request cross with the server's closing of an idle connection? It did if its connection had served before
   * and ended without an octet of an answer, and either the kernel had taken nothing of the request, or the
   * connection had been idle for a while. Such a request is sent once more on a new connection, as every client does
   * (RFC 9112 §9.3.1). A server that closes busy connections resets requests, and these are counted as that.
   */
  def crossed(error: ClientError, idleNanos: Long): Boolean = error match {
    case lost: ClientError.ConnectionLost =>
      lost.reused && !lost.answered && (!lost.written || idleNanos >= IdleNanos)
    case _ => false
  }
}
