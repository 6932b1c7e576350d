package needletail.client

import needletail.async.Survivable
import needletail.http.{ByteWriter, Headers}
import needletail.io.{Connection, ConnectionHandler, Fallible}

/** Who keeps connections, such as a pool. */
private[needletail] trait ConnectionOwner {

  /** An answer has come whole, and the connection can take a request (again). */
  def freed(c: ClientConnection): Unit

  /** The connection is gone, or about to go: it takes no more requests. Called once. */
  def gone(c: ClientConnection): Unit
}

/**
 * A connection to a server: sends what exchanges write, and tells them their answers. Used on its loop only.
 *
 * It has one deadline, that of the first exchange under way or of its being idle, and no other timer.
 *
 * @param hostName the host, for messages
 */
private[needletail] final class ClientConnection(
    connection: Connection,
    context: LoopContext,
    owner: ConnectionOwner,
    protected val hostName: String
) extends ResponseReader(context)
    with ConnectionHandler
    with Runnable
    with Fallible {

  /** Neighbours among a pool's idle ones, and whether it is one of them. */
  private[client] var nextIdle: ClientConnection = null
  private[client] var prevIdle: ClientConnection = null
  private[client] var isIdle                     = false

  private val depth              = context.config.pipelining
  private var idleSince          = connection.loop.nowNanos
  private var offered            = 0L   // octets of requests, written or to be
  private var sender: BodySender = null // while a request's content is being sent
  private var held: ByteWriter   = null // pipelined requests of this turn, to go out in one write
  private var turnAsked          = false
  private var inTurn             = false

  /** Requests its owner believes to be under way: those sent, less those it was told of by `freed`. */
  private[client] var owed = 0

  /** Requests whose answers have not come. */
  def underWay: Int = inFlight.size

  /** Can it take a request? */
  def isUsable: Boolean = !isOver && !isLast && connection.isOpen

  /** Can it take this request beside those under way? (RFC 9112 §9.3.2) */
  def accepts(x: Exchange): Boolean = isUsable && {
    inFlight.isEmpty || (inFlight.size < depth && x.mayPipeline && inFlight.first.mayPipeline && sender == null)
  }

  def pendingOutput: Int = connection.pendingBytes
  def nowNanos: Long     = connection.loop.nowNanos

  /** Sends a request; the connection must accept it. */
  def send(x: Exchange): Unit =
    try begin(x)
    catch {
      case e: Throwable => // half a request may be out, whose place in the order of answers is taken
        if (!isOver) end(lost(e), reset = true)
        if (!Survivable(e)) throw e
    }

  private def begin(x: Exchange): Unit = {
    x.connection = this
    x.sentFrom = offered
    inFlight.append(x)
    owed += 1
    if (depth > 1) hold(x) else write(x)
    x.onSent()
    val stream = x.contentStream
    if (stream != null) {
      sender = new BodySender(this, x, stream, x.contentLength, context)
      if (x.awaitsContinue) sender.awaitContinue(context.continueNanos) else sender.pump()
    }
    if (!inTurn) settle()
  }

  private def write(x: Exchange): Unit = {
    val w = context.writer
    w.clear()
    x.encode(w)
    offered += w.length
    connection.write(w.bytes, 0, w.length)
    writeLarge(x)
  }

  private def writeLarge(x: Exchange): Unit = {
    val large = x.largeContent
    if (large != null) {
      offered += large.length
      connection.writeOwned(large, 0, large.length)
    }
  }

  /** With pipelining: what is sent in one turn leaves in one write. */
  private def hold(x: Exchange): Unit = {
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

  /** The end of the turn in which something was held back. */
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
  }

  private[client] def writeContentOwned(bytes: Array[Byte]): Unit = {
    flush()
    offered += bytes.length
    connection.writeOwned(bytes, 0, bytes.length)
  }

  /** The request's content can't be sent: it is told why, and the connection, which owes the rest, ends. */
  private[client] def contentFailed(what: String, cause: Throwable): Unit = if (!isOver)
    end(new ClientError.BadRequestBody(hostName, what, cause), reset = true)

  private[client] def contentComplete(): Unit = sender = null

  private[client] def endOfTurn(task: Runnable): Unit = connection.loop.endOfTurn(task)

  /**
   * Nobody waits for this answer any more. What is left of it is read and dropped where that is little; else the
   * connection is closed, which is how HTTP/1.1 says it.
   *
   * @param orderly is the answer known to end soon, so that an unknown length is no reason to close?
   */
  def abandon(x: Exchange, orderly: Boolean): Unit = if (x.connection eq this) {
    val first  = x eq inFlight.first
    val drains =
      if (sender != null || isLast) false
      else if (!first || !hasHead) inFlight.size > 1 // others' answers come on the same connection
      else if (contentLeft >= 0) contentLeft <= context.config.maxDrain
      else orderly
    val stopAt = math.min(x.deadline, nowNanos + ClientConnection.DrainNanos)
    val limit  = if (contentLeft >= 0 && first) contentLeft else context.config.maxDrain.toLong
    val other  = new Discarded(limit, x.isHead, stopAt)
    other.connection = this
    inFlight.replace(x, other)
    x.connection = null
    if (drains) { if (!inTurn) settle() }
    else close()
  }

  /** Ends the connection; what is under way fails. */
  def close(): Unit = if (!isOver) end(lost(null), reset = hasBegun || inFlight.size > 0)

  /** Looks again at what the first exchange wants, and until when. */
  def settle(): Unit = if (!isOver && connection.isOpen) {
    if (mustWait) { if (!connection.isPaused) connection.pauseReading() }
    else if (connection.isPaused) connection.resumeReading()
    val first = inFlight.first
    connection.deadline = if (first != null) first.deadline else idleSince + context.idleNanos
  }

  // what the connection tells

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    inTurn = true
    context.gathered.clear() // the loop's: what another connection's turn left there is not this one's
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

  def onDrained(): Unit = if (sender != null) {
    sender.pump()
    settle()
  }

  def onDeadline(): Unit = if (!isOver) {
    val x = inFlight.first
    if (x == null) {
      if (idleSince + context.idleNanos - nowNanos <= 0) close() else settle()
    } else if (x.deadline - nowNanos <= 0)
      end(
        new ClientError.TimedOut(hostName, s"the answer was not complete ${x.limitText}: $stage"),
        reset = true
      )
    else settle()
  }

  def onClosed(cause: Throwable): Unit = if (!isOver) end(lost(cause), reset = false)

  // what the reader asks and tells

  protected def hasWritten: Boolean =
    inFlight.first != null && connection.bytesWritten > inFlight.first.sentFrom

  protected def answered(x: Exchange, trailers: Headers, spoiled: Boolean): Unit = {
    x.connection = null
    if (sender != null) {
      // the server has answered without waiting for the rest of the request: it is owed nothing more
      sender.stop()
      sender = null
      isLast = true
    }
    idleSince = nowNanos
    if (isLast || spoiled)
      end(
        new ClientError.ConnectionLost(
          hostName,
          "the connection ended before the answer",
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
    x.onEnd(trailers)
  }

  protected def broken(error: ClientError): Unit = end(error, reset = false)

  protected def continued(x: Exchange): Unit = if (sender != null) sender.goOn()

  /** The one place where a connection ends. The first exchange fails with `error`; none behind it was answered. */
  private def end(error: ClientError, reset: Boolean): Unit = {
    val written = connection.bytesWritten
    isOver = true
    if (sender != null) {
      sender.stop()
      sender = null
    }
    if (reset && connection.isOpen) connection.abort() else connection.close()
    owner.gone(this)
    val ending = error match {
      case lost: ClientError.ConnectionLost => lost.ending
      case _: ClientError.TimedOut          => ClientError.Ending.GivenUp
      case _                                => ClientError.Ending.Cut
    }
    var x     = inFlight.takeFirst()
    var first = true
    while (x != null) {
      x.connection = null
      x.onFailed(if (first) error else behind(x, written, ending))
      first = false
      x = inFlight.takeFirst()
    }
  }

  private def behind(x: Exchange, written: Long, ending: ClientError.Ending): ClientError =
    new ClientError.ConnectionLost(
      hostName,
      "the connection ended before the answer, while an earlier one was awaited",
      null,
      written > x.sentFrom,
      answered = false,
      reused = true,
      ending
    )
}

private[client] object ClientConnection {

  /** How long the rest of an answer that nobody wants is read before the connection is closed instead. */
  final val DrainNanos = 1000L * 1000 * 1000
}
