package needletail.io

import java.io.IOException
import java.net.SocketTimeoutException

/**
 * One stream, TCP or Unix, on one loop for life: every method is to be called on the loop's own thread.
 *
 * Reading: a readiness event causes one read into an array that all connections of the loop share; an idle connection
 * owns no buffer. What the handler leaves is kept here, `ConnectionOptions.maxLeftover` octets at most; if that much
 * is kept and the handler wants none of it, reading is paused until `resumeReading`.
 *
 * Writing: at once, as far as the kernel takes it. The rest waits here; it has no bound of its own, so whoever writes
 * much looks at `pendingBytes` and goes on in `onDrained`.
 */
final class Connection private[io] (
    val loop: EventLoop,
    socket: Socket,
    options: ConnectionOptions,
    gone: Runnable = null // run when all is over, see `AcceptedSocket.start`
) extends Pollable {
  import Connection.*

  private var phase: Int                  = Open
  private var protocol: ConnectionHandler = null // until it is set
  private var cause: Throwable            = null // of the end, for onClosed

  // Input. What is left over: the first `kept` octets of an array of our own; null if there are none.
  private var leftover: Array[Byte] = null
  private var kept                  = 0
  private var paused                = false
  private var inOnData              = false
  private var redeliver             = false // resumeReading has put a redelivery off to the end of the turn
  private var inputEnded            = false // the end has been read
  private var endTold               = false // and onEnd called

  // Output. Null while nothing is pending.
  private var output: PendingOutput = null
  private var outputEnding          = false // shutdownOutput was asked for
  private var outputEnded           = false // the peer has been told the end
  private var linger: Linger        = null  // once closeGracefully was asked for

  private var due          = Long.MaxValue
  private var handshakeDue = Long.MaxValue // when an accepted connection must be secured, if it is to be
  private var timer: ConnectionTimer  = null // made when first needed
  private var totalRead, totalWritten = 0L

  def handler: ConnectionHandler            = protocol
  def handler_=(h: ConnectionHandler): Unit = protocol = h

  /** `127.0.0.1:4711`, `[::1]:80`, a Unix path, or `""` for a peer without a name. Made anew for each call. */
  def remoteAddress: String = socket.remoteAddress

  /** This end's address, likewise; `""` once closed. */
  def localAddress: String = socket.localAddress

  /** Does it run over TLS? */
  def isSecure: Boolean = socket.isSecure

  /** Neither closed nor told to close. */
  def isOpen: Boolean = phase == Open

  def bytesRead: Long    = totalRead
  def bytesWritten: Long = totalWritten // what the kernel has taken

  // Writing

  /**
   * Writes as much as the kernel takes now; what it does not take is copied and written when it can be. Never blocks.
   * Ignored once the connection or its output is told to close. An error closes the connection.
   */
  def write(bytes: Array[Byte], from: Int, count: Int): Unit = put(bytes, from, count, mayKeep = false)

  /** Like `write`, but the array is handed over and must not change: what the kernel does not take is not copied. */
  def writeOwned(bytes: Array[Byte], from: Int, count: Int): Unit = put(bytes, from, count, mayKeep = true)

  /** Octets written here and not yet taken by the kernel. */
  def pendingBytes: Int = if (output eq null) 0 else output.size

  /** Bytes read here and not used by the handler yet. */
  private[needletail] def unusedBytes: Int = if (leftover eq null) 0 else leftover.length

  /** Bytes read here that TLS has not got ready for the handler. */
  private[needletail] def undecryptedBytes: Int = undecrypted
  private var undecrypted                       = 0

  private def countUndecrypted(now: Int): Unit = if (now != undecrypted) {
    loop.memory.add((now - undecrypted).toLong)
    undecrypted = now
  }

  private def put(bytes: Array[Byte], from: Int, count: Int, mayKeep: Boolean): Unit =
    if (phase == Open && !outputEnding && count > 0) {
      val done = if (output eq null) send(bytes, from, count) else 0
      if (done >= 0 && done < count) {
        if (output eq null) output = new PendingOutput(loop.memory)
        output.add(bytes, from + done, count - done, mayKeep)
        want(socket.interest | Interest.Write)
      }
    }

  /** One write: octets taken, or -1 if it failed and the connection is closed. */
  private def send(bytes: Array[Byte], from: Int, count: Int): Int =
    try {
      val owed = socket.owesOutput
      val n    = socket.write(bytes, from, count)
      totalWritten += n
      if (owed) readAgain()
      n
    } catch {
      case e: IOException =>
        finish(e)
        -1
    }

  /**
   * Offers the kernel what is pending although it has not said that there is room. It says so when a third of its
   * buffer is free, which can be more than a megabyte; offered, some goes as soon as the peer has taken as much. So
   * `bytesWritten` tells then, to within the 64 KiB or so that the kernel sends as one, whether the peer reads.
   */
  private[needletail] def offerPending(): Unit =
    if (output ne null) {
      sendPending()
      if (phase != Closed && (output eq null)) loop.endOfTurn(new Flushed(this))
    }

  private def flush(): Unit = {
    sendPending()
    flushed()
  }

  private def sendPending(): Unit = {
    var budget = FlushBudget
    while ((output ne null) && budget > 0) {
      val count = output.firstCount
      val n     = send(output.firstArray, output.firstFrom, count)
      if (n >= 0) {
        output.taken(n)
        if (output.size == 0) output = null
        budget = if (n < count) 0 else budget - n
      }
    }
  }

  private def flushed(): Unit =
    if (phase != Closed && (output eq null)) {
      want(socket.interest & ~Interest.Write)
      if (phase == Flushing) beginLingering()
      else if (phase == Open) {
        if (outputEnding) endOutput()
        protocol.onDrained()
      }
    }

  /** Half-close: once everything pending is written, the peer sees the end of the stream. Reading goes on. */
  def shutdownOutput(): Unit =
    if (phase == Open && !outputEnding) {
      outputEnding = true
      if (output eq null) endOutput()
    }

  private def endOutput(): Unit =
    if (!outputEnded) {
      outputEnded = true
      try {
        socket.shutdownOutput()
        if (socket.owesOutput) want(socket.interest)
      } catch { case e: IOException => finish(e) }
    }

  /** Writes what the socket has to say for itself. */
  private def sendOwed(): Unit =
    try {
      socket.sendOwed()
      readAgain()
    } catch { case e: IOException => finish(e) }

  /** Goes on reading where what the socket owed was in the way, and that is out now. */
  private def readAgain(): Unit =
    if (!socket.owesOutput) {
      if (phase == Lingering && !mayDiscard) finish(null)
      else {
        want((if (output eq null) Interest.None else Interest.Write) | (if (inputEnded) Interest.None
                                                                        else Interest.Read))
        if (phase == Open) loop.endOfTurn(new FurtherRead(this))
      }
    }

  // Reading

  /** No more `onData` until `resumeReading`. Costs a system call only if octets do come in the meantime. */
  def pauseReading(): Unit = paused = true

  /** Goes on reading. What is left over comes again at the end of this turn, never from inside this call. */
  def resumeReading(): Unit =
    if (paused) {
      paused = false
      if (phase == Open) {
        if (inOnData || (leftover ne null) || (inputEnded && !endTold)) {
          if (!redeliver) {
            redeliver = true
            loop.endOfTurn(new Redelivery(this))
          }
        } else if (!inputEnded) {
          want(socket.interest | Interest.Read)
          readOn()
        }
      }
    }

  def isPaused: Boolean = paused

  /**
   * For a handler inside `onData`, which must answer that it has used all: the array it was given is its own now.
   */
  def keepInput(bytes: Array[Byte]): Unit = loop.giveAway(bytes)

  private def receive(): Unit = {
    val held = kept
    val room = options.maxLeftover - held
    if (room <= 0) {
      paused = true // nobody wants what is here already
      want(socket.interest & ~Interest.Read)
    } else {
      val bytes = loop.readBuffer(options.maxLeftover)
      val n     = receiveInto(bytes, held, math.min(room, bytes.length - held))
      if (n > 0) {
        totalRead += n
        if (held > 0) System.arraycopy(leftover, 0, bytes, 0, held)
        deliver(bytes, held + n)
        readOn()
      } else if (n == EndOfInput) {
        endInput()
        if (!redeliver) tellEnd() // else after what is left over
      } else readOn()
    }
  }

  /** What the socket holds itself is read without waiting for readiness, which has come for it already. */
  private def readOn(): Unit =
    if (socket.holdsInput && phase == Open && !paused) loop.endOfTurn(new FurtherRead(this))

  private def readFurther(): Unit = if (phase == Open && !paused && !inputEnded && !redeliver) receive()

  /** One read: octets, 0 for none, or EndOfInput; an error closes the connection and counts as none. */
  private def receiveInto(bytes: Array[Byte], from: Int, count: Int): Int =
    try {
      val n = socket.read(bytes, from, count)
      if (socket.isSecure) {
        if (socket.owesOutput) want(socket.interest)
        if (phase != Closed) countUndecrypted(socket.heldBytes)
      }
      n
    } catch {
      case e: IOException =>
        finish(e)
        0
    }

  private def endInput(): Unit = {
    inputEnded = true
    want(socket.interest & ~Interest.Read)
  }

  /** Hands over `bytes` until `until`, of which the first `kept` are the leftover already. */
  private def deliver(bytes: Array[Byte], until: Int): Unit = {
    redeliver = false
    inOnData = true
    val used =
      try protocol.onData(bytes, 0, until)
      finally inOnData = false
    if (used < 0 || used > until) throw new IllegalStateException(s"onData answered $used, not 0 to $until")
    if (phase == Open) keep(bytes, used, until)
  }

  private def keep(bytes: Array[Byte], from: Int, until: Int): Unit = {
    val rest = until - from
    if (rest == 0) {
      leave(null)
      kept = 0
    } else {
      // If nothing was used, the beginning is in place.
      val inPlace = if (from == 0) kept else 0
      if ((leftover eq null) || leftover.length < rest || leftover.length > Shrink * rest) {
        // As big as needed at first; if that was too small, room to grow, within the bound.
        val size  = if (leftover eq null) rest else math.max(rest, math.min(2 * rest, options.maxLeftover))
        val grown = new Array[Byte](if (rest < kept) rest else size)
        if (inPlace > 0) System.arraycopy(leftover, 0, grown, 0, inPlace)
        leave(grown)
      }
      System.arraycopy(bytes, from + inPlace, leftover, inPlace, rest - inPlace)
      kept = rest
    }
  }

  private def leave(array: Array[Byte]): Unit = if (array ne leftover) {
    val before = unusedBytes
    leftover = array
    loop.memory.add((unusedBytes - before).toLong)
  }

  private def deliverAgain(): Unit =
    if (redeliver && phase == Open) {
      redeliver = false
      if (!paused) {
        // From our own array: the handler is not told whose it is, only that it must not keep it.
        if (leftover ne null) deliver(leftover, kept)
        if (phase == Open && !paused && !redeliver) {
          if (inputEnded) tellEnd()
          else {
            want(socket.interest | Interest.Read)
            readOn()
          }
        }
      }
    }

  private def tellEnd(): Unit =
    if (!endTold) {
      endTold = true
      protocol.onEnd()
    }

  // Time

  /** When `onDeadline` is due, on the loop's clock; Long.MaxValue for never, and again after it was called. */
  def deadline: Long = due

  /** Cheap: a later deadline than the one that is waited for costs nothing until that one comes. */
  def deadline_=(nanos: Long): Unit = if (phase <= Flushing) setTimer(nanos)

  private def setTimer(nanos: Long): Unit = {
    due = nanos
    if (nanos != Long.MaxValue) wakeBy(nanos)
  }

  private def wakeBy(nanos: Long): Unit = {
    if (timer eq null) timer = new ConnectionTimer(this)
    if (timer.position < 0) loop.addTimer(timer, nanos)
    else if (nanos - timer.due < 0) {
      loop.removeTimer(timer)
      loop.addTimer(timer, nanos)
    }
  }

  /** TLS's handshake has its own time, whatever the handler waits for. */
  private def limitHandshake(): Unit =
    if (socket.isShakingHands && phase == Open) {
      handshakeDue = loop.nowNanos + math.min(options.handshakeNanos, Long.MaxValue / 2)
      wakeBy(handshakeDue)
    }

  private def timerFired(): Unit = {
    if (handshakeDue != Long.MaxValue) {
      if (!socket.isShakingHands) handshakeDue = Long.MaxValue
      else if (handshakeDue - loop.nowNanos > 0) wakeBy(handshakeDue)
      else {
        readInTime()
        if (socket.isShakingHands)
          finish(
            new SocketTimeoutException(s"no TLS handshake within ${options.handshakeNanos / 1000000} ms")
          )
        else handshakeDue = Long.MaxValue
      }
    }
    if (isDue) readInTime()
    if (due != Long.MaxValue && phase != Closed) {
      if (!isDue) wakeBy(due)
      else {
        due = Long.MaxValue
        if (phase == Lingering) finish(null) else protocol.onDeadline()
      }
    }
  }

  private def isDue: Boolean = due != Long.MaxValue && due - loop.nowNanos <= 0

  /**
   * Before a peer is told that it is too late: what has come is read, as the loop may have stood still, and a wait may
   * end without saying all that is ready.
   */
  private def readInTime(): Unit = readFurther()

  // Closing

  /**
   * Closes so that the peer gets the last reply: writes what is pending, ends the output, then reads and discards until
   * the peer closes too, for at most `lingerNanos` and `maxDiscard` octets. (Closing with unread octets makes the
   * kernel send RST, which can destroy what the peer has not read yet, RFC 9112 section 9.6.) From here on the handler
   * is called only for the deadline, as long as output is pending, and for `onClosed`.
   */
  def closeGracefully(lingerNanos: Long, maxDiscard: Int): Unit =
    if (phase == Open) {
      phase = Flushing
      linger = new Linger(lingerNanos, maxDiscard)
      dropInput()
      if (output eq null) beginLingering()
    }

  private def beginLingering(): Unit = {
    phase = Lingering
    val waits = linger.nanos > 0
    if (waits && mayDiscard || socket.isSecure) endOutput() // that TLS ends is something to be written
    if (phase == Lingering)
      if (!waits || !mayDiscard && !socket.owesOutput) finish(null)
      else {
        setTimer(loop.nowNanos + math.min(linger.nanos, Long.MaxValue / 2))
        want(Interest.Read)
      }
  }

  private def mayDiscard: Boolean = !inputEnded && linger.discardable > 0

  /** Octets that came after the end was decided. */
  private def discard(): Unit = {
    val bytes = loop.readBuffer(1)
    val n     = receiveInto(bytes, 0, math.min(bytes.length, linger.discardable))
    if (n > 0) {
      totalRead += n
      linger.discardable -= n
    } else if (n == EndOfInput) endInput()
    if (phase == Lingering && !mayDiscard && !socket.owesOutput) finish(null)
    else if (phase == Flushing && linger.discardable <= 0) want(socket.interest & ~Interest.Read)
  }

  /** Closes at once; what is pending is dropped. `onClosed` is called at the end of the turn. */
  def close(): Unit = finish(null)

  /** Has the kernel ask whether a peer that is silent for so long is still there; see `Socket.probeWhenSilent`. */
  def probeWhenSilent(idleSeconds: Int): Unit =
    if (phase == Open)
      try socket.probeWhenSilent(idleSeconds)
      catch { case _: IOException => () } // it is broken, and will be seen to be

  /** Closes at once with RST where the protocol has it, which tells the peer that something was lost. */
  def abort(): Unit =
    if (phase != Closed) {
      try socket.resetOnClose()
      catch { case _: IOException => () } // the connection is broken already, and closed below
      finish(null)
    }

  private def finish(why: Throwable): Unit =
    if (phase != Closed) {
      cause = if (phase == Lingering) null else why // the reply is out: how the peer went does not matter
      phase = Closed
      dropInput()
      countUndecrypted(0)
      if (output ne null) output.drop()
      output = null
      due = Long.MaxValue
      if (timer ne null) loop.removeTimer(timer)
      loop.endOfTurn(new Ending(this))
    }

  private def dropInput(): Unit = {
    leave(null)
    kept = 0
    redeliver = false
  }

  /** At the end of the turn, see `EventLoop.releaseAtTurnEnd`. */
  private def end(): Unit =
    try loop.release(socket)
    finally
      try if (protocol ne null) protocol.onClosed(cause)
      finally if (gone ne null) gone.run()

  // The loop's side

  private def want(bits: Int): Unit = {
    // What the socket owes goes out before anything else is read.
    val wanted = if (socket.owesOutput) bits & ~Interest.Read | Interest.Write else bits
    if (wanted != socket.interest && phase != Closed) loop.setInterest(socket, wanted)
  }

  /** Takes its place on the loop and gets its handler; on the loop's thread, once. */
  private[io] def begin(makeHandler: Connection => ConnectionHandler): Unit =
    try {
      loop.watch(socket, this, Interest.Read)
      protocol = makeHandler(this)
      limitHandshake()
      readOn()
    } catch {
      case e: Throwable =>
        finish(e)
        throw e
    }

  private[needletail] def onReady(ready: Int): Unit = {
    if ((ready & Interest.Write) != 0)
      if (output ne null) flush()
      else if (socket.owesOutput) sendOwed()
    if ((ready & Interest.Read) != 0) {
      if (phase == Open) {
        if (paused) want(socket.interest & ~Interest.Read)
        else if (!inputEnded) receive()
      } else if (phase != Closed && !inputEnded) discard()
    }
  }

  private[needletail] def failed(e: Throwable): Unit = finish(e)
  private[needletail] def onLoopEnd(): Unit          = finish(null)
}

object Connection {
  // Phases, in this order.
  private final val Open      = 0
  private final val Flushing  = 1 // closing, output pending
  private final val Lingering = 2 // closing, output ended, waiting for the peer's end
  private final val Closed    = 3

  private final val EndOfInput = -1

  /** Octets written for one readiness event, so that a fast reader does not keep the loop to itself. */
  private final val FlushBudget = 1024 * 1024

  /** A leftover's array that is this many times too big is replaced. */
  private final val Shrink = 4

  private final class Linger(val nanos: Long, var discardable: Int)

  private final class ConnectionTimer(c: Connection) extends TimerNode with Fallible {
    private[needletail] def fire(): Unit               = c.timerFired()
    private[needletail] def failed(e: Throwable): Unit = c.failed(e)
  }

  private final class Redelivery(c: Connection) extends Runnable with Fallible {
    def run(): Unit                                    = c.deliverAgain()
    private[needletail] def failed(e: Throwable): Unit = c.failed(e)
  }

  private final class FurtherRead(c: Connection) extends Runnable with Fallible {
    def run(): Unit                                    = c.readFurther()
    private[needletail] def failed(e: Throwable): Unit = c.failed(e)
  }

  private final class Flushed(c: Connection) extends Runnable with Fallible {
    def run(): Unit                                    = c.flushed()
    private[needletail] def failed(e: Throwable): Unit = c.failed(e)
  }

  private final class Ending(c: Connection) extends Runnable {
    def run(): Unit = c.end()
  }
}
