package needletail.io

import java.io.IOException

import needletail.io.platform.{ConnectionOptions, Interest, Pollable, Socket}
import needletail.io.proxyprotocol.ProxyHeader
import needletail.io.tls.{HandshakeFailure, TlsSession}

/**
 * A stream connection, TCP or Unix, on one loop for life. All methods must be called on the loop's thread.
 *
 * Reading: a readiness event causes one read into an array that all connections of the loop share; an idle connection
 * owns no buffer. What the handler leaves is kept here, at most `ConnectionOptions.maxLeftover` bytes. If that much is
 * kept and the handler uses none of it, reading is paused until `resumeReading`.
 *
 * Writing: at once, as far as the kernel takes it. The rest is buffered here without a bound: a handler that writes
 * much must check `pendingBytes` and continue in `onDrained`.
 */
final class Connection private[io] (
    val loop: EventLoop,
    private[io] val socket: Socket,
    private[io] val options: ConnectionOptions,
    gone: Runnable = null,      // run last, see `AcceptedSocket.start`
    proxied: ProxyHeader = null // of the proxy that it comes from
) extends Pollable
    with ConnectionHandshake
    with ConnectionTurnEnd.Owner {
  import Connection.*
  import ConnectionPhase.*

  private var phase: Int                  = Open
  private var protocol: ConnectionHandler = null // until it is set
  private var cause: Throwable            = null // why it was or will be closed, for onClosed

  private val input  = new ConnectionInput(this)
  private val output = new ConnectionOutput(this)

  private[io] var timer: ConnectionTimer = null // created when first needed
  private var linger: Linger             = null // set by closeGracefully

  /** The protocol; set by `begin`, and replaced when a connection changes protocol. */
  def handler: ConnectionHandler            = protocol
  def handler_=(h: ConnectionHandler): Unit = { protocol = h; input.along = null }

  /** A hint: whenever the handler is called it uses `what`, and what was created right after it; see `Socket.fetch`. */
  private[needletail] def usesAlong(what: AnyRef): Unit = input.along = what

  /**
   * The peer's address: `127.0.0.1:4711`, `[::1]:80`, a Unix path, or `""` for a peer without a name; behind a proxy that
   * is trusted, the client's, as the proxy says. Computed by each call.
   */
  def remoteAddress: String =
    if ((proxied eq null) || (proxied.client eq null)) socket.remoteAddress else proxied.client

  /** This end's address, in the same form; `""` once closed. */
  def localAddress: String =
    if ((proxied eq null) || (proxied.server eq null)) socket.localAddress else proxied.server

  /** Whether it is secured by TLS, here or, as a trusted proxy says that ends it, between that and its client. */
  def isSecure: Boolean = socket.isSecure || (proxied ne null) && proxied.isSecure

  /** What the TLS handshake has established; None before it is complete, and without TLS. */
  def tlsSession: Option[TlsSession] = Option(socket.session)

  /** Whether it is neither closed nor closing. */
  def isOpen: Boolean = phase == Open

  private[io] def isFlushing: Boolean = phase == Flushing
  private[io] def isClosed: Boolean   = phase == Closed

  /** Bytes read so far; with TLS, decrypted ones. */
  def bytesRead: Long = input.bytesRead

  /** Bytes that the kernel has taken so far; with TLS, before encryption. */
  def bytesWritten: Long = output.bytesWritten

  /**
   * Changes whenever the kernel takes something, with TLS also where `bytesWritten` does not: the end of the last record
   * is not told of until it is complete.
   */
  private[needletail] def outputProgress: Long = output.bytesWritten + socket.encryptedTaken

  /** See `Socket.unacknowledged`. */
  private[needletail] def unacknowledged: Int = socket.unacknowledged

  // Writing

  /**
   * Writes as much as the kernel takes now, copies the rest and writes it later; a server's before the TLS handshake once
   * that is over. Never blocks. Ignored once closing the connection or its output has begun. An error closes it.
   */
  def write(bytes: Array[Byte], from: Int, count: Int): Unit =
    if (phase == Open) output.write(bytes, from, count, mayKeep = false)

  /** Like `write`, but takes ownership of the array instead of copying the rest; it must not change. */
  def writeOwned(bytes: Array[Byte], from: Int, count: Int): Unit =
    if (phase == Open) output.write(bytes, from, count, mayKeep = true)

  /**
   * Writes the beginning of one array, as `write` does, and then bytes of another, with one system call where that is
   * possible. With `mayKeep` the other array is handed over, as by `writeOwned`.
   */
  private[needletail] def writeBoth(
      first: Array[Byte],
      firstCount: Int,
      bytes: Array[Byte],
      from: Int,
      count: Int,
      mayKeep: Boolean
  ): Unit = if (phase == Open) output.writeBoth(first, firstCount, bytes, from, count, mayKeep)

  /** Bytes written here and not yet taken by the kernel. */
  def pendingBytes: Int = output.pendingBytes

  /** The length of the array that holds bytes the handler has not used yet. */
  private[needletail] def unusedBytes: Int = input.unusedBytes

  /** Bytes read that TLS has not decrypted or not passed on. */
  private[needletail] def undecryptedBytes: Int = input.undecryptedBytes

  /** Whether something waits until the kernel takes more. Then `onDrained` will be called. */
  private[needletail] def isBackedUp: Boolean = output.isBackedUp

  /** Whether `send` may be called. */
  private[needletail] def sendsFiles: Boolean = socket.sendsFiles

  /**
   * Sends at most `most` bytes of `part`, as many as the kernel takes now; it must not be `isBackedUp`. Nothing is kept:
   * if the kernel takes fewer, call it again in `onDrained`; to write anything else before that is an
   * IllegalStateException. If the system cannot send the file, or if it or the connection fails, the part `isRefused`.
   */
  private[needletail] def send(part: FilePart, most: Int): Unit =
    if (phase == Open) output.send(part, most)

  /**
   * Tries to write pending output although the kernel has not reported room. The kernel reports room when a third of
   * its buffer is free, which can be more than a megabyte, but takes bytes as soon as the peer has taken as many. So
   * afterwards `outputProgress` shows whether the peer reads, to within the 64 KiB or so that the kernel sends at once.
   */
  private[needletail] def offerPending(): Unit =
    if (output.offer()) loop.endOfTurn(new ConnectionTurnEnd.Flushed(this))

  private[io] def flushed(): Unit =
    if (phase != Closed && !output.isPending) {
      output.dropPart()
      want(socket.interest & ~Interest.Write)
      if (phase == Flushing) beginLingering()
      else if (phase == Open && !isBroken) {
        if (output.isEnding) output.sendEnd()
        protocol.onDrained()
      }
    }

  /** See `ConnectionHandler.readsWhenBroken`. */
  private[io] def readsWhenBroken: Boolean =
    phase == Open && !isBroken && (protocol ne null) && protocol.readsWhenBroken && !input.isEndTold

  private[io] def writeFailed(e: IOException): Unit =
    if (readsWhenBroken) {
      cause = e
      output.breakOff()
      want(socket.interest & ~Interest.Write)
      loop.endOfTurn(new ConnectionTurnEnd.Broken(this))
    } else finish(e)

  private[io] def broken(): Unit = if (phase == Open) {
    protocol.onBroken()
    input.readNow()
  }

  /** Whether a write has failed, and it is still open for what the peer has sent before. */
  private[io] def isBroken: Boolean = phase == Open && (cause ne null)

  /** Whether what is written is not ignored. */
  private[needletail] def takesOutput: Boolean = phase == Open && !output.isEnding

  /** Half-close: once everything pending is written, the peer sees the end of the stream. Reading continues. */
  def shutdownOutput(): Unit = if (phase == Open) output.end()

  /** The socket owes nothing any more: continues reading. */
  private[io] def readAgain(): Unit =
    if (!socket.owesOutput) {
      if (phase == Lingering && !mayDiscard) finish(null)
      else {
        val write = if (output.isPending) Interest.Write else Interest.None
        want(if (input.isEnded) write else write | Interest.Read)
        if (phase == Open) input.readAtEndOfTurn()
      }
    }

  // Reading

  /** Stops calls of `onData` until `resumeReading`. Costs a system call only if bytes arrive in the meantime. */
  def pauseReading(): Unit = input.pause()

  /** Resumes reading. At the end of this turn, not before, `onData` is called again with the leftover bytes. */
  def resumeReading(): Unit = input.resume()

  def isPaused: Boolean = input.isPaused

  /**
   * Gives the array passed to `onData` to the handler. Call it inside `onData`, which must then return that it has
   * used everything.
   */
  def keepInput(bytes: Array[Byte]): Unit = loop.reads.giveAway(bytes)

  /**
   * The handler will use the next `n` bytes at once: if that is more than `ConnectionOptions.maxLeftover`, the next read
   * may return more than that, at most `n`. It saves system calls while a large message passes.
   */
  private[needletail] def expectInput(n: Int): Unit = input.expect(n)

  /** Drops the bytes that the handler has not used, outside of `onData`. Later ones are passed on. */
  private[needletail] def dropUnused(): Unit = input.dropUnused()

  /** Whether a read takes little: the handler does not want input, but the peer's end is to be noticed. */
  private[needletail] def readLittle(little: Boolean): Unit = input.readsLittle = little

  private[io] def readNow(): Unit     = input.readNow()
  private[io] def readInTurn(): Unit  = input.readAtEndOfTurn()
  private[io] def awaitsTurn: Boolean = input.isMember

  /**
   * Whether it is open and the peer has neither sent anything that was not read nor ended its side, by one system call.
   * Within `onData`: anything behind the bytes that were passed. If not, input may have been lost: it must be closed.
   */
  private[needletail] def isQuiet: Boolean = phase == Open && input.isQuiet

  /** Whether the last read may have left something with the kernel that the peer had sent by then. */
  private[needletail] def mayHoldMore: Boolean = input.mayHoldMore

  // Time

  /** When to call `onDeadline`, on the loop's clock; Long.MaxValue for never, and after it was called. */
  def deadline: Long = if (timer eq null) ConnectionTimer.Never else timer.deadline

  /** Cheap: setting a later deadline does no work until the earlier one has passed. */
  def deadline_=(nanos: Long): Unit = if (phase <= Flushing) setTimer(nanos)

  private def setTimer(nanos: Long): Unit = needTimer().deadline = nanos

  private[io] def needTimer(): ConnectionTimer = {
    if (timer eq null) createTimer()
    timer
  }

  @noinline private def createTimer(): Unit = timer = new ConnectionTimer(this, socket)

  private[io] def deadlinePassed(): Unit =
    if (phase == Lingering || isRefused) finish(null) else protocol.onDeadline()

  // Closing

  /**
   * Closes so that the peer receives the last reply: writes pending output, ends the output, then reads and discards
   * until the peer closes too, for at most `lingerNanos` and `maxDiscard` bytes. (Closing with unread bytes makes the
   * kernel send RST, which can destroy what the peer has not read yet, RFC 9112 section 9.6.) From here on the handler
   * is called only for the deadline, while output is pending, and for `onClosed`.
   */
  def closeGracefully(lingerNanos: Long, maxDiscard: Int): Unit =
    if (phase == Open) {
      phase = Flushing
      linger = new Linger(lingerNanos, maxDiscard)
      output.dropPart()
      input.drop()
      if (!output.isPending) beginLingering()
    }

  /** Closes so that a client gets to read why: `answer` or, if that is null, the alert that TLS has sent. */
  private[io] def refuse(why: IOException, answer: Array[Byte]): Unit = if (phase == Open) {
    cause = why
    output.close() // nothing else follows
    if (answer ne null) output.write(answer, 0, answer.length, mayKeep = false)
    closeGracefully(protocol.refusalNanos, MaxRefusedBytes)
    if (phase == Flushing) setTimer(ConnectionTimer.after(loop, linger.nanos))
  } else if (phase == Flushing) finish(why) // what is pending is not for it

  /** Whether its client was refused, or a write has failed: only these set `cause` before it is closed. */
  private def isRefused: Boolean = cause ne null

  private def beginLingering(): Unit = {
    phase = Lingering
    val waits = linger.nanos > 0
    if (waits && mayDiscard || socket.isSecure) output.sendEnd() // with TLS that writes an alert
    if (phase == Lingering)
      if (!waits || !mayDiscard && !socket.owesOutput) finish(null)
      else {
        setTimer(ConnectionTimer.after(loop, linger.nanos))
        want(if (mayDiscard) Interest.Read else Interest.None)
      }
  }

  private[io] def mayDiscard: Boolean = !input.isEnded && linger.discardable > 0

  /** Reads and discards bytes that arrive while closing. */
  @noinline private[io] def discard(): Unit = {
    val bytes = loop.reads.ofSize(1)
    val n     = input.read(bytes, 0, math.min(bytes.length, linger.discardable))
    if (n > 0) linger.discardable -= n
    else if (n == ConnectionInput.EndOfInput) input.end()
    if (phase == Lingering && !mayDiscard && !socket.owesOutput) finish(null)
    else if (linger.discardable <= 0) want(socket.interest & ~Interest.Read)
  }

  /** Closes at once and drops pending output. `onClosed` is called at the end of the turn. */
  def close(): Unit = finish(null)

  /** Has the kernel probe a peer that has been silent for `idleSeconds`; see `Socket.probeWhenSilent`. */
  def probeWhenSilent(idleSeconds: Int): Unit =
    if (phase == Open)
      try socket.probeWhenSilent(idleSeconds)
      catch { case _: IOException => () } // the next read or write reports that it is broken

  /** Closes at once, with RST if it is TCP: the peer learns that data may be missing. */
  def abort(): Unit =
    if (phase != Closed) {
      try socket.resetOnClose()
      catch { case _: IOException => () } // the connection is broken already, and closed below
      finish(null)
    }

  private[io] def finish(why: Throwable): Unit =
    if (phase != Closed) {
      loop.endOfTurn(new ConnectionTurnEnd.Ending(this)) // first: it takes place whatever fails below
      // when the reply is sent, how the peer closed does not matter; its alert says more than that a write has failed
      if (phase != Lingering && (!isRefused || isBroken && (why ne null) && HandshakeFailure.isAlert(why)))
        cause = why
      phase = Closed
      input.close()
      output.close()
      if (timer ne null) timer.cancel()
    }

  /** At the end of the turn, see `EventLoop.releaseAtTurnEnd`. */
  private[io] def end(): Unit =
    try loop.release(socket)
    finally
      try if (protocol ne null) protocol.onClosed(cause)
      finally if (gone ne null) gone.run()

  // The loop's side

  private[io] def want(bits: Int): Unit = {
    val wanted = socket.permitted(bits)
    if (wanted != socket.interest && phase != Closed) loop.setInterest(socket, wanted)
  }

  /** Registers with the loop and makes the handler. Called once, on the loop's thread. */
  private[io] def begin(makeHandler: Connection => ConnectionHandler): Unit =
    try {
      loop.watch(socket, this, Interest.Read)
      if (socket.isSecure) socket.resumeBy(() => resumeHandshake(), loop.platform.blocking)
      protocol = makeHandler(this)
      limitHandshake()
      input.readOn()
    } catch {
      case e: Throwable =>
        finish(e)
        throw e
    }

  private[needletail] def onReady(ready: Int): Unit = {
    if ((ready & Interest.Write) != 0)
      if (isBackedUp) {
        output.flush()
        flushed()
      } else if (socket.owesOutput) output.sendOwed()
    if ((ready & Interest.Read) != 0)
      if (output.isPending && socket.writesAfterInput) writeByInput()
      else if (phase == Open) input.onReady()
      else if (phase != Closed && !input.isEnded) discard()
    if (ready == Interest.Failure && phase == Open && !output.isEnding && !socket.isShakingHands)
      protocol.onBroken()
  }

  /** Goes on writing, with what has come; see `Socket.writesAfterInput`. */
  @noinline private def writeByInput(): Unit = {
    output.flush()
    flushed()
    input.followTls()
  }

  /** TLS has read in order to write, and holds input now. */
  @noinline private[io] def holdsInput(): Unit = {
    input.followTls()
    input.readOn()
  }

  private[needletail] def failed(e: Throwable): Unit = finish(e)
  private[needletail] def onLoopEnd(): Unit          = finish(null)
}

object Connection {

  /** What is read and discarded of a client that was refused: more than a system has under way. */
  private final val MaxRefusedBytes = 16 * 1024 * 1024
}
