package needletail.client.connection

import needletail.async.Survivable
import needletail.client.error.ClientError
import needletail.http.message.Headers
import needletail.http.text.ByteWriter
import needletail.io.{Connection, ConnectionHandler, TlsSession}
import needletail.io.platform.Fallible

/** What opened a connection and decides about its use, such as a pool. Called on the connection's loop. */
private[needletail] trait ConnectionOwner {

  /** A response is complete, and the connection accepts another request. */
  def freed(c: ClientConnection): Unit

  /** The connection is closed or closing, and accepts no more requests. Called once. */
  def gone(c: ClientConnection): Unit
}

/**
 * A connection to a server: sends the requests of exchanges and delivers their responses. Used on its loop only.
 *
 * It has a single deadline: the earliest of the exchanges in flight, or the end of the idle time. If the first exchange
 * is late, the connection is closed. If a later one is, it fails, its response is discarded when it comes, and the
 * connection takes no more requests: those that it has may still be answered.
 *
 * @param hostName the host, for messages
 */
private[needletail] final class ClientConnection(
    connection: Connection,
    context: ClientLoopContext,
    owner: ConnectionOwner,
    protected val hostName: String
) extends ResponseReader(context)
    with ConnectionHandler
    with ExchangeConnection
    with ContentOutput
    with Runnable
    with Fallible {
  import ClientConnection.*

  /** The results of the TLS handshake; None without TLS. */
  def tlsSession: Option[TlsSession] = connection.tlsSession

  /** Neighbours among a pool's idle connections, and whether this is one of them. */
  private[client] var nextIdle: ClientConnection = null
  private[client] var prevIdle: ClientConnection = null
  private[client] var isIdle                     = false

  private val depth              = context.config.pipelining
  private var idleSince          = connection.loop.nowNanos
  private var offered            = 0L   // bytes of requests, written or held
  private var sender: BodySender = null // while a request's content is being sent
  private var held: ByteWriter   = null // pipelined requests of this turn, for one write
  private var turnAsked          = false
  private var inTurn             = false
  private var writtenBefore      = 0L   // bytes, before those that are being read were received
  private var isRetired = false // takes no more requests: the response to one is late, or writing has failed

  /** `connection.outputProgress` when that was last looked at; -1 before content of the request is handed over. */
  private var taken = -1L

  /** With pipelining: no exchange in flight, except for the first, has an earlier deadline. */
  private var soonest = Long.MaxValue

  /** Requests that the owner counts as in flight: those sent, less those reported by `freed`. */
  private[client] var owed = 0

  /** Requests whose responses are not complete. */
  def underWay: Int = inFlight.size

  /** Whether it accepts further requests. */
  def isUsable: Boolean = !isOver && !isLast && !isRetired && connection.takesOutput

  /**
   * Whether the server has sent nothing since the last response, not even the end: bytes that the loop has not read yet
   * would be taken for the response to the next request.
   */
  def isQuiet: Boolean = connection.isQuiet

  /** Whether the server may have sent more than was read by now, behind the last response. */
  def mayHoldMore: Boolean = connection.mayHoldMore

  /** Whether this request can be sent now, in addition to those in flight (RFC 9112 §9.3.2). */
  def accepts(x: ClientExchange): Boolean = isUsable && {
    inFlight.isEmpty || (inFlight.size < depth && x.mayPipeline && inFlight.first.mayPipeline && sender == null &&
      !(isFresh && (x.isSentAgain || inFlight.first.isSentAgain)))
  }

  def pendingOutput: Int     = connection.pendingBytes
  private def nowNanos: Long = connection.loop.nowNanos

  /** Sends a request, which the connection must accept. */
  def send(x: ClientExchange): Unit =
    try begin(x)
    catch {
      case e: Throwable => // part of the request may have been sent, so the connection cannot continue
        if (!isOver) end(lost(e), reset = true)
        if (!Survivable(e)) throw e
    }

  private def begin(x: ClientExchange): Unit = {
    x.connection = this
    x.sentFrom = offered
    inFlight.append(x)
    owed += 1
    if (depth > 1) {
      soonest = if (inFlight.size == 1) x.deadline else math.min(soonest, x.deadline)
      hold(x)
    } else write(x)
    x.onSent()
    val stream = x.contentStream
    if (stream != null) {
      taken = -1
      sender = new BodySender(this, x, stream, x.contentLength, context)
      if (x.awaitsContinue) sender.awaitContinue(context.continueNanos) else sender.pump()
    }
    if (!inTurn) settle()
  }

  private def write(x: ClientExchange): Unit = {
    val w = context.writer
    w.clear()
    x.encode(w)
    offered += w.length
    connection.write(w.bytes, 0, w.length)
    writeLarge(x)
  }

  private def writeLarge(x: ClientExchange): Unit = {
    val large = x.largeContent
    if (large != null) {
      offered += large.length
      connection.writeOwned(large, 0, large.length)
    }
  }

  /** With pipelining: the requests of one turn are sent in one write. */
  private def hold(x: ClientExchange): Unit = {
    if (held == null) held = new ByteWriter(1024)
    val before = held.length
    x.encode(held)
    offered += held.length - before
    if (x.largeContent != null) {
      flush()
      writeLarge(x)
    } else if (!inTurn && !turnAsked) {
      turnAsked = true
      connection.loop.endOfTurn(this)
    }
  }

  /** The end of a turn in which requests were held. */
  def run(): Unit = {
    turnAsked = false
    flush()
  }

  private[needletail] def failed(cause: Throwable): Unit = if (!isOver) end(lost(cause), reset = true)

  private def flush(): Unit = if (held != null && held.length > 0) {
    connection.write(held.bytes, 0, held.length)
    held.clear()
  }

  private[client] def writeContent(bytes: Array[Byte], from: Int, count: Int): Unit = {
    flush()
    offered += count
    connection.write(bytes, from, count)
    taken = connection.outputProgress
  }

  private[client] def writeContentOwned(bytes: Array[Byte]): Unit = {
    flush()
    offered += bytes.length
    connection.writeOwned(bytes, 0, bytes.length)
    taken = connection.outputProgress
  }

  private[client] def contentFailed(what: String, cause: Throwable): Unit = if (!isOver)
    end(new ClientError.BadRequestBody(hostName, what, cause), reset = true)

  private[client] def contentComplete(): Unit = sender = null

  private[client] def endOfTurn(task: Runnable): Unit = connection.loop.endOfTurn(task)

  def abandon(x: ClientExchange, orderly: Boolean): Unit = if (x.connection eq this) {
    val first  = x eq inFlight.first
    val drains =
      if (sender != null || isLast) false
      else if (!first || !hasHead) inFlight.size > 1 // the connection has other exchanges
      else if (contentLeft >= 0) contentLeft <= context.config.maxUnreadBody
      else orderly
    // one that waits for earlier responses has its time when it is the first
    val stopAt = if (first) math.min(x.deadline, nowNanos + DrainNanos) else Long.MaxValue
    discard(x, if (contentLeft >= 0 && first) contentLeft else context.config.maxUnreadBody.toLong, stopAt)
    if (drains) { if (!inTurn) settle() }
    else close()
  }

  /** Drops `x`, whose response will be read and discarded. */
  private def discard(x: ClientExchange, limit: Long, stopAt: Long): Unit = {
    val other = new DrainingExchange(limit, x.isHead, stopAt)
    other.connection = this
    other.sentFrom = x.sentFrom
    inFlight.replace(x, other)
    x.connection = null
  }

  def close(): Unit = if (!isOver) end(lost(null), reset = hasBegun || inFlight.size > 0)

  def settle(): Unit = if (!isOver && connection.isOpen) {
    if (mustWait) { if (!connection.isPaused) connection.pauseReading() }
    else if (connection.isPaused) connection.resumeReading()
    val first = inFlight.first
    connection.deadline =
      if (first == null) idleSince + context.idleNanos
      else if (depth == 1) first.deadline
      else {
        first.isNext(nowNanos)
        math.min(first.deadline, soonest)
      }
  }

  // ConnectionHandler

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    inTurn = true
    writtenBefore = connection.bytesWritten
    context.gathered.clear() // shared by the loop: an earlier turn may have left bytes
    val used =
      try read(bytes, from, until)
      finally inTurn = false
    if (!isOver) {
      flush()
      settle()
    }
    used
  }

  def onEnd(): Unit = inputEnded()

  def onDrained(): Unit = {
    val x = inFlight.first
    if (x != null && x.contentStream != null) {
      extend(x)
      if (sender != null) sender.pump()
      settle()
    }
  }

  /** A server may respond, and close the connection, before it has read all of a request: that resets it. */
  private[needletail] override def readsWhenBroken: Boolean = !isOver && inFlight.first != null

  private[needletail] override def onBroken(): Unit = if (!isOver && !connection.takesOutput) {
    isRetired = true
    if (sender != null) {
      sender.stop()
      sender = null
    }
  }

  def onDeadline(): Unit = if (!isOver) {
    val x = inFlight.first
    if (x == null) {
      if (idleSince + context.idleNanos - nowNanos <= 0) close() else settle()
    } else if (x.deadline - nowNanos <= 0 && !takesContent(x)) {
      if (!isOver && connection.isOpen) end(late(x, stage), reset = true)
    } else {
      if (depth > 1) expireOthers()
      settle()
    }
  }

  /**
   * Whether the server goes on reading the streamed content of this request, which is late; its deadline is extended then.
   * The kernel reports only much room, so a server that reads slowly would look idle.
   */
  private def takesContent(x: ClientExchange): Boolean =
    x.contentStream != null && (sender != null || connection.pendingBytes > 0) && {
      connection.offerPending()
      extend(x)
      x.deadline - nowNanos > 0
    }

  /** Extends the time of this request if the system has taken something of its streamed content since the last time. */
  private def extend(x: ClientExchange): Unit = if (taken >= 0) {
    val progress = connection.outputProgress
    if (progress != taken) {
      taken = progress
      x.onContentTaken()
    }
  }

  /** Fails the exchanges behind the first that are late. Their responses, which must still come, are discarded. */
  private def expireOthers(): Unit = {
    val now = nowNanos
    soonest = Long.MaxValue
    var x = inFlight.first.next
    while (x != null)
      if (x.deadline - now > 0) {
        soonest = math.min(soonest, x.deadline)
        x = x.next
      } else {
        isRetired = true
        discard(x, context.config.maxUnreadBody.toLong, Long.MaxValue)
        x.onFailed(late(x, behindOthers))
        // which may have dropped others, or closed the connection
        soonest = Long.MaxValue
        x = if (isOver) null else inFlight.first.next
      }
  }

  private def late(x: ClientExchange, progress: String): ClientError =
    new ClientError.TimedOut(hostName, s"the response was not complete ${x.limitText}: $progress")

  def onClosed(cause: Throwable): Unit = if (!isOver) end(lost(cause), reset = false)

  // ResponseReader

  protected def hasWritten: Boolean =
    inFlight.first != null && connection.bytesWritten > inFlight.first.sentFrom

  override protected def hadWritten: Boolean = writtenBefore > inFlight.first.sentFrom

  protected def answered(x: ClientExchange, trailers: Headers, spoiled: Boolean): Unit = {
    x.connection = null
    if (sender != null) {
      // the server has responded without reading the rest of the request, which is not sent
      sender.stop()
      sender = null
      isLast = true
    }
    idleSince = nowNanos
    if (isLast || spoiled || isRetired && inFlight.isEmpty)
      end(
        new ClientError.ConnectionLost(
          hostName,
          "the connection ended before the response",
          null,
          written = true,
          answered = false,
          reused = true,
          if (isLast) ClientError.Ending.Announced else ClientError.Ending.Cut
        ),
        reset = false
      )
    else {
      owed -= 1
      owner.freed(this)
    }
    if (spoiled) x.onSurplus()
    x.onEnd(trailers)
  }

  protected def broken(error: ClientError): Unit = end(error, reset = false)

  protected def continued(x: ClientExchange): Unit = if (sender != null) sender.goOn()

  /** Every end of a connection: the first exchange fails with `error`, those after it with `ConnectionLost`. */
  private def end(error: ClientError, reset: Boolean): Unit = {
    val written = connection.bytesWritten
    val now     = nowNanos
    isOver = true
    try if (sender != null) sender.stop()
    finally { // whatever the source's cancel throws
      sender = null
      if (reset && connection.isOpen) connection.abort() else connection.close()
      owner.gone(this)
    }
    val ending = error match {
      case lost: ClientError.ConnectionLost => lost.ending
      case _: ClientError.TimedOut          => ClientError.Ending.GivenUp
      case _                                => ClientError.Ending.Cut
    }
    var x     = inFlight.takeFirst()
    var first = true
    while (x != null) {
      x.connection = null
      x.onFailed(
        if (first) error
        else if (ending == ClientError.Ending.GivenUp && x.deadline - now <= 0) late(x, behindOthers)
        else behind(x, written, ending)
      )
      first = false
      x = inFlight.takeFirst()
    }
  }

  private def behind(x: ClientExchange, written: Long, ending: ClientError.Ending): ClientError =
    new ClientError.ConnectionLost(
      hostName,
      "the connection ended before the response, while an earlier one was awaited",
      null,
      written > x.sentFrom,
      answered = false,
      reused = true,
      ending
    )
}

private[client] object ClientConnection {

  /** Longest time, in nanoseconds, that the rest of an abandoned response is read; then the connection is closed. */
  final val DrainNanos = 1000L * 1000 * 1000

  /** The pending step of an exchange behind another, for the message of a timeout. */
  private final val behindOthers = "it was waiting for an earlier response on its connection"
}
