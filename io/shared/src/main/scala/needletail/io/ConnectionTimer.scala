package needletail.io

import needletail.async.TimerNode
import needletail.io.platform.{Fallible, Socket}

/**
 * The timeouts of a [[Connection]]: its handler's deadline, which is also used for lingering, and that of the TLS
 * handshake. One timer of the loop serves both. Setting a later deadline does no work until the earlier one has
 * passed.
 */
private[io] final class ConnectionTimer(connection: ConnectionTimer.Owner, socket: Socket)
    extends TimerNode
    with Fallible {
  import ConnectionTimer.*

  private var deadlineAt  = Never
  private var handshakeAt = Never
  private var awaited     = -1 // see Socket.awaitedRecord
  private var awaitedAt   = 0L // when that was found first

  private var isPutOff = false // whether time has passed, and its turn is awaited

  // At the last call of `handshakeProceeds`: the record awaited, and whether a handshake was in progress.
  private var awaitedThen = -1
  private var shookThen   = false

  private var stallCheck: StallCheck = null

  private def loop: EventLoop = connection.loop

  /** On the loop's clock; `Never` for none, and after it has passed. */
  def deadline: Long = deadlineAt

  def deadline_=(nanos: Long): Unit = {
    deadlineAt = nanos
    if (nanos != Never) wakeBy(nanos)
  }

  /** Limits the TLS handshake to `nanos` from now on, whatever the handler's deadline. */
  def limitHandshake(nanos: Long): Unit = {
    handshakeAt = after(loop, nanos)
    wakeBy(handshakeAt)
  }

  /**
   * For how many nanoseconds, by this and former calls, the server has been waiting for what it must have from the
   * client to answer again. Until the first answer the handshake has cost nothing, so a client has half of the time: its
   * wait counts twice. -1 if it is not the client's turn.
   *
   * @param withSilent whether that is so of a client that has sent nothing yet: otherwise -1
   */
  def handshakeStall(withSilent: Boolean): Long = {
    val before = awaited
    awaited = if (withSilent && socket.isSilent) Silent else socket.awaitedRecord
    if (awaited != before) awaitedAt = loop.nowNanos
    if (awaited == -1) -1
    else if (awaited == 0) 2 * (loop.nowNanos - awaitedAt) else loop.nowNanos - awaitedAt
  }

  /**
   * Whether the handshake has got further since this was called before, or is being computed: the client has begun, the
   * server has answered, or it is over, which counts once.
   */
  def handshakeProceeds(): Boolean = {
    val (before, shook) = (awaitedThen, shookThen)
    awaitedThen = socket.awaitedRecord
    shookThen = socket.isShakingHands
    if (shookThen) socket.isComputingHandshake || awaitedThen >= 0 && awaitedThen != before
    else shook // its end counts once
  }

  /** Has the connection closed in a turn of handshakes, if it is stalled then: what has come may have to be computed. */
  def checkStall(nanos: Long, withSilent: Boolean): Unit = {
    if (stallCheck eq null) stallCheck = new StallCheck // else it waits for its turn
    stallCheck.nanos = nanos
    stallCheck.withSilent = withSilent
    loop.handshakes.add(stallCheck)
  }

  private final class StallCheck extends HandshakeTurns.Member {
    var nanos      = 0L
    var withSilent = false

    def compute(): Unit = {
      stallCheck = null
      connection.closeIfStalled(nanos, withSilent)
    }
    private[needletail] def failed(cause: Throwable): Unit = connection.failed(cause)
  }

  /** Cancels both. */
  def cancel(): Unit = {
    deadlineAt = Never
    handshakeAt = Never
    isPutOff = false
    loop.removeTimer(this)
  }

  private def wakeBy(nanos: Long): Unit =
    if (!isSet || nanos - due < 0) moveTo(nanos)

  @noinline private def moveTo(nanos: Long): Unit = {
    if (isSet) loop.removeTimer(this)
    loop.addTimer(this, nanos)
  }

  private[needletail] def fire(): Unit =
    // its input is read in its turn, and the client is judged then
    if (connection.awaitsTurn) isPutOff = true
    else if (socket.computesHandshake) {
      isPutOff = true
      connection.readInTurn()
    } else judge()

  /** Whether the time of its handshake has passed while its turn was awaited, and nothing has been computed for it. */
  def isUnansweredTooLong: Boolean =
    isPutOff && isPassed(handshakeAt) && socket.isShakingHands && socket.awaitedRecord <= 0

  /**
   * The connection's turn begins. If the time of its handshake has passed while it was awaited, and nothing has been
   * computed for it yet, that would be in vain: it is closed then, and this returns true.
   */
  def closesUnanswered(): Boolean = {
    val isLost = isUnansweredTooLong
    if (isLost) {
      handshakeAt = Never
      connection.handshakeTimedOut()
    }
    isLost
  }

  /** The connection has had its turn, and may be waiting for the next one already. */
  def turnOver(): Unit = if (isPutOff) judge()

  private def judge(): Unit = {
    isPutOff = false
    if (handshakeAt != Never) checkHandshake()
    // The loop may have been delayed, a wait may have ended without reporting everything that is ready, or what has been
    // read may not have been passed on yet: read first.
    if (isPassed(deadlineAt)) connection.readNow()
    if (deadlineAt != Never)
      if (isPassed(deadlineAt)) {
        deadlineAt = Never
        connection.deadlinePassed()
      } else wakeBy(deadlineAt)
  }

  private def checkHandshake(): Unit =
    if (socket.isShakingHands && !isPassed(handshakeAt)) wakeBy(handshakeAt)
    else {
      if (socket.isShakingHands) connection.readNow()
      handshakeAt = Never
      if (socket.isShakingHands) connection.handshakeTimedOut()
    }

  private def isPassed(nanos: Long): Boolean = nanos != Never && nanos - loop.nowNanos <= 0

  private[needletail] def failed(e: Throwable): Unit = connection.failed(e)
}

private[io] object ConnectionTimer {

  /** The connection that it limits. */
  private[io] trait Owner extends Fallible {
    def loop: EventLoop

    /** Passes on what has been read, and reads what has arrived, whatever readiness was reported. */
    private[io] def readNow(): Unit

    /** The same in its turn; see [[HandshakeTurns]]. */
    private[io] def readInTurn(): Unit

    /** Whether what has arrived is read in a turn that comes by itself; see [[HandshakeTurns]]. */
    private[io] def awaitsTurn: Boolean

    /** The handler's deadline has passed. */
    private[io] def deadlinePassed(): Unit

    private[io] def handshakeTimedOut(): Unit

    /** Closes it if its client has stalled the handshake for so long; see `Connection.closeStalledHandshake`. */
    private[io] def closeIfStalled(nanos: Long, withSilent: Boolean): Unit
  }

  final val Never = Long.MaxValue

  /** What is awaited of a client that has sent nothing yet. */
  private final val Silent = -2

  /** The time `nanos` from now, at most half the range so that differences stay exact. */
  def after(loop: EventLoop, nanos: Long): Long = loop.nowNanos + math.min(nanos, Long.MaxValue / 2)
}
