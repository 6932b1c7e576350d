package needletail.tcp

import needletail.async.{Async, Refused, Survivable}
import needletail.io.{Connection, ConnectionHandler}
import needletail.io.loop.FailureLog
import needletail.io.platform.Fallible

/** What opened a connection and decides about its use. Called on the connection's loop. */
private[tcp] trait ConnectionOwner[I, O] {

  /** Answers have arrived: the connection may accept further requests. */
  def freed(c: ClientConnection[I, O]): Unit

  /**
   * The connection has ended. Called once.
   *
   * @param unwritten requests of which no byte was written, in order; they have not ended
   * @param error why it ended
   */
  def gone(c: ClientConnection[I, O], unwritten: List[Exchange[I, O]], error: TcpClientError): Unit
}

/**
 * A connection to a server: writes requests and gives each the answer that is its own. Used on its loop only.
 *
 * Answers arrive in the order of the requests. A request that was abandoned keeps its place, so that its
 * answer is not given to another. An answer that arrived before its request was written ends the connection.
 */
private[tcp] final class ClientConnection[I, O](
    connection: Connection,
    context: ClientContext[I, O],
    owner: ConnectionOwner[I, O]
) extends ConnectionHandler
    with TcpSession[I, O]
    with ExchangePlace
    with Runnable
    with Fallible {
  private val config   = context.config
  private val protocol = context.protocol
  private val reader = new MessageReader(protocol.codec.decoder(), context.maxMessage, connection.loop.memory)
  private val inFlight = new ExchangesInFlight[I, O](context.counts)
  private val batch    = new OutputBatch(connection)

  private var inTurn        = false // onData runs, which ends with a flush
  private var turnAsked     = false
  private var turnsLeft     = 0     // turns that end before anything is written
  private var isReady       = false // the protocol has done what it does first
  private var isEarly       = false // the message that has begun did so while nothing was awaited
  private var writtenBefore = 0L    // bytes, before those that are being read were received
  private var isOver        = false
  private val begun         = connection.loop.nowNanos
  private var quietFrom     =
    begun // when the first in flight became the first; or idle since, or without progress
  private var taken         = 0L    // bytes that the server had taken at `quietFrom`
  private var lookedAt      = begun // when it was last looked whether it takes any

  /**
   * Whether a request has been answered on it since it was set up, or it has stayed open for so long that one after the
   * other makes no circle.
   */
  var wasUseful = false

  /** Requests in flight, including abandoned ones. */
  def underWay: Int = inFlight.size

  private def isUnused = underWay == 0

  private def isFlushed = batch.size + connection.pendingBytes == 0

  /** Whether it can be closed without loss: no answer is pending, and everything is written. */
  def isQuiet: Boolean = isFlushed && inFlight.areOver

  /** Whether `prepare` has succeeded. */
  def isPrepared: Boolean = isReady

  def isOpen: Boolean       = !isOver && connection.isOpen
  def remoteAddress: String = connection.remoteAddress

  /** Whether the server answers a request, or is about to, that nobody waits for any more. What is sent now waits for it. */
  def isHeldUp: Boolean = !isUnused && inFlight.first.isOver

  /** Whether a request can be sent now. */
  def accepts: Boolean =
    isReady && hasPlace && batch.size + connection.pendingBytes <= config.maxPendingOutput

  private def hasPlace = isOpen && underWay < config.pipelining

  /** Runs the protocol's own set-up. */
  def prepare(): Async[Unit] =
    Async.defer(protocol.connected(this)).timeout(config.connectTimeout).map { _ =>
      if (isOver) throw context.lost("the connection ended at once", null, written = false)
      isReady = true
      settle() // it may stay unused
    }

  /** Sends a request. A failure of the codec is that request's alone. */
  def send(x: Exchange[I, O]): Unit = {
    val encoded =
      try {
        val bytes = protocol.codec.encode(x.request)
        if (bytes == null) throw new NullPointerException("the codec has encoded a message as null")
        bytes
      } catch {
        case e: Throwable =>
          x.fail(context.notEncoded(e))
          if (!Survivable(e)) throw e
          null
      }
    if (encoded != null && isOver) // by the codec
      x.fail(context.lost(
        "the connection was closed while a request for it was encoded",
        null,
        written = false
      ))
    else if (encoded != null) {
      if (isUnused && (x.answers || isFlushed)) beQuiet()
      if (isUnused && isFlushed) lookFirst()
      if (x.answers) {
        x.place = this
        inFlight.add(x)
      }
      batch.add(x, encoded)
      if (!x.answers) x.succeed(null.asInstanceOf[I])
      if (!inTurn) askForTurn()
    }
  }

  /**
   * Nothing was awaited, so what the server may have sent by now is no answer to what is sent next: the loop reads it in
   * its next turn, which does not wait, before anything is written.
   */
  private def lookFirst(): Unit = {
    turnsLeft = 1
    batch.hold()
    askForTurn()
  }

  private def askForTurn(): Unit = if (!turnAsked) {
    turnAsked = true
    connection.loop.endOfTurn(this)
  }

  /** The end of a turn in which requests were sent. */
  def run(): Unit = {
    turnAsked = false
    if (!isOver)
      if (turnsLeft > 0) {
        turnsLeft -= 1
        askForTurn()
      } else {
        batch.release()
        flush()
        settle()
        owner.freed(this)
      }
  }

  // TcpSession

  def call(request: O): Async[I]    = fixed(request, answers = true)
  def send(message: O): Async[Unit] = fixed(message, answers = false).map(_ => ())
  def close(): Unit = end(context.lost("the connection was closed here", null, written = true))
  private[tcp] def closeClient(): Unit = end(context.closed(written = true))

  private def fixed(message: O, answers: Boolean): Async[I] = {
    val x = new Exchange[I, O](message, config.requestTimeout, answers, isFixed = true, context)
    context.counts.add(ClientCounts.Requests, 1)
    if (!isOpen) x.fail(context.lost("the connection has ended", null, written = false))
    else if (!hasPlace)
      x.fail(context.queueFull(s"$underWay requests are in flight on this connection already"))
    else send(x)
    Refused.later(x.promise)
  }

  // ExchangePlace

  def abandoned(x: Exchange[_, _]): Unit = if (!isOver) owner.freed(this) // its answer still comes

  /** If nothing else can be in flight, nothing is lost by opening another connection instead. */
  def timedOut(x: Exchange[_, _]): Unit =
    if (config.pipelining > 1 || !hasWritten(x)) abandoned(x)
    else {
      wasUseful = true // the server accepts connections: this is no reason to wait before the next one
      end(context.lost("its request was not answered in time", null, written = true))
    }

  /** What the connection has is sent, unless the connection ends before. */
  def takeBack(x: Exchange[_, _]): Boolean = {
    val taken = !isOver && batch.remove(x)
    if (taken) {
      inFlight.takenBackOne()
      settle()
    }
    taken
  }

  private def hasWritten(x: Exchange[_, _]): Boolean = connection.bytesWritten > x.sentFrom

  /** The same, of the time when the bytes that are being read were received: what they bring was sent to no later request. */
  private def hadWritten(x: Exchange[_, _]): Boolean = writtenBefore > x.sentFrom

  def progressOf(x: Exchange[_, _]): String =
    if (x.encoded != null) "it was about to be written"
    else if (!hasWritten(x)) "the server does not read its input"
    else if (inFlight.first ne x) "earlier requests are not answered yet"
    else if (reader.isInside) "its answer is not complete"
    else "no part of its answer has arrived"

  // ConnectionHandler

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    val before = underWay
    inTurn = true
    writtenBefore = connection.bytesWritten
    reader.begin(bytes, from, until)
    try {
      var go = true
      while (go && !isOver)
        reader.next() match {
          case Decoded.Message(message, _) => if (!isOver) received(message) // the decoder may have closed it
          case Decoded.More                => go = false
          case Decoded.Bad(reason)         => end(context.malformed(s"a malformed message: $reason", null))
        }
      isEarly = reader.isInside && (isEarly || isUnused || !hadWritten(inFlight.first))
      if (before > 0 && !isOver) owner.freed(this)
    } catch {
      case Survivable(e) =>
        end(context.malformed(s"a message could not be decoded: ${FailureLog.described(e)}", e))
    } finally {
      inTurn = false
      reader.end()
      if (isOver) reader.release() // what was collected after the end
    }
    if (isOver) until
    else {
      flush()
      settle()
      reader.used
    }
  }

  private def received(message: I): Unit = {
    val first   = inFlight.first
    val awaited = if (first == null || isEarly || !hadWritten(first)) null else first
    isEarly = false
    if (protocol.isPush(message, if (awaited == null) None else Some(awaited.request))) {
      context.counts.add(ClientCounts.Pushed, 1)
      try protocol.pushed(this, message)
      catch {
        case Survivable(e) =>
          connection.loop.report(s"${context.address}: the handler of push messages failed", e)
      }
    } else if (awaited == null)
      end(context.lost("the server sent an unsolicited message", null, written = true))
    else {
      inFlight.removeFirst()
      wasUseful = isReady
      beQuiet()
      if (awaited.isOver) context.counts.add(ClientCounts.Skipped, 1) else awaited.succeed(message)
    }
  }

  def onEnd(): Unit = end(
    context.lost(
      if (reader.isInside) "the server closed the connection in the middle of a message"
      else "the server closed the connection",
      null,
      written = true
    )
  )

  def onDrained(): Unit = if (!isOver) {
    if (isUnused) beQuiet()
    owner.freed(this)
    flush()
    settle()
  }

  def onDeadline(): Unit = if (!isOver) {
    val at = due
    if (at == Long.MaxValue || at - connection.loop.nowNanos > 0) settle()
    else if (isUnused && !isFlushed) {
      connection.offerPending() // the kernel reports only much room: a server that reads slowly would look idle
      lookedAt = connection.loop.nowNanos
      if (notesProgress() || lookedAt - quietFrom < context.stallNanos) settle()
      else if (!isOver)
        end(
          context.lost(
            s"the server has read nothing within ${context.stallNanos / 1000000} ms",
            null,
            written = true
          )
        )
    } else if (isUnused) {
      wasUseful = true
      end(context.lost("the connection was idle", null, written = false))
    } else
      end(
        context.lost(
          s"the server has not answered the first of $underWay requests in flight within ${context.stallNanos / 1000000} ms",
          null,
          written = true
        )
      )
  }

  def onClosed(cause: Throwable): Unit =
    end(context.lost(
      if (cause == null) "the connection was closed" else FailureLog.messageOf(cause),
      cause,
      written = true
    ))

  private[needletail] def failed(cause: Throwable): Unit =
    end(context.lost(s"the connection failed: ${FailureLog.described(cause)}", cause, written = true))

  private def beQuiet(): Unit = {
    quietFrom = connection.loop.nowNanos
    taken = connection.outputProgress
  }

  /** While nothing is in flight: whether the server has taken something since `quietFrom`, which then is now. */
  private def notesProgress(): Boolean = isUnused && connection.outputProgress != taken && {
    beQuiet()
    true
  }

  private def flush(): Unit = {
    batch.flush()
    inFlight.dropTakenBack()
    notesProgress()
    ()
  }

  private def due: Long =
    if (isUnused)
      if (!isFlushed)
        Math.min(quietFrom + context.stallNanos, Math.max(quietFrom, lookedAt) + context.stallNanos / 2)
      else if (config.keepConnected) Long.MaxValue
      else quietFrom + context.idleNanos
    else {
      val first = inFlight.first
      val stall = quietFrom + context.stallNanos
      if (first.isOver) stall else math.max(stall, first.deadline)
    }

  private def settle(): Unit = if (connection.isOpen) connection.deadline = due

  /** Every end of a connection. Requests of which a byte was written fail with `error`. */
  private def end(error: TcpClientError): Unit = if (!isOver) {
    isOver = true
    if (connection.loop.nowNanos - begun >= config.maxReconnectDelay.toNanos) wasUseful = true
    val awaits = !isUnused
    if (awaits && connection.isOpen) connection.abort() else connection.close()
    reader.release()
    val (written, unwritten) = inFlight.takeAll().partition(hasWritten(_))
    val (fixed, movable)     = unwritten.partition(_.isFixed)
    (fixed ++ movable).foreach(_.place = null)
    try {
      owner.gone(this, movable, error)
      written.foreach(_.fail(error))
      fixed.foreach(_.fail(context.lost(
        s"not sent, because the connection ended: ${error.getMessage}",
        error,
        written = false
      )))
    } finally disconnected() // also where a callback of a request throws a fatal error
  }

  private def disconnected(): Unit =
    try protocol.disconnected(this)
    catch {
      case Survivable(e) =>
        connection.loop.report(s"${context.address}: the handler of disconnections failed", e)
    }
}
