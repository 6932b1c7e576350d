package needletail.io

import java.net.SocketTimeoutException
import java.util.concurrent.RejectedExecutionException

import needletail.io.platform.{ConnectionOptions, Interest, Socket}
import needletail.io.tls.{HandshakeFailure, HandshakeRefused}

/**
 * What a [[Connection]] does about the TLS handshake of its socket: it limits its time, goes on when another thread has
 * computed a step, and closes a connection whose client stalls it. Without TLS it does nothing.
 */
private[io] trait ConnectionHandshake extends ConnectionTimer.Owner {
  private[io] def socket: Socket
  private[io] def options: ConnectionOptions

  /** Its timer; null if none has been needed. */
  private[io] def timer: ConnectionTimer

  /** Creates the timer, unless there is one. */
  private[io] def needTimer(): ConnectionTimer

  def isOpen: Boolean

  /** Whether it closes as soon as its output has been written. */
  private[io] def isFlushing: Boolean
  private[io] def isClosed: Boolean

  private[io] def want(bits: Int): Unit

  /** Whether what arrives while it closes is to be read. */
  private[io] def mayDiscard: Boolean
  private[io] def discard(): Unit
  private[io] def finish(why: Throwable): Unit

  private def mayShakeHands: Boolean = isOpen || isFlushing

  /** Whether its TLS handshake is not complete, so that nothing can be written. */
  private[needletail] def isShakingHands: Boolean = socket.isShakingHands

  private[io] def limitHandshake(): Unit =
    if (socket.isShakingHands && isOpen) needTimer().limitHandshake(options.handshakeNanos)

  /** A step of the handshake was computed elsewhere. From any thread. */
  private[io] def resumeHandshake(): Unit =
    try
      loop.execute { () =>
        if (mayShakeHands) {
          want(socket.interest | Interest.Read)
          if (!isOpen) discard() else if (socket.computesHandshake) readInTurn() else readNow()
        }
      }
    catch { case _: RejectedExecutionException => () } // the loop has ended, and closed it

  /** See `ConnectionTimer.handshakeStall`; -1 without TLS, and while this side has not read what the client has sent. */
  private[needletail] def handshakeStall(withSilent: Boolean = false): Long =
    if (socket.isShakingHands && !awaitsTurn && (timer ne null) && mayShakeHands)
      timer.handshakeStall(withSilent)
    else -1

  /** Closes it if its client has stalled the handshake for at least `nanos`, after it has read what has arrived. */
  private[needletail] def closeStalledHandshake(nanos: Long, withSilent: Boolean): Unit =
    if (!awaitsTurn)
      if (socket.computesHandshake) needTimer().checkStall(nanos, withSilent)
      else closeIfStalled(nanos, withSilent)

  private[io] def closeIfStalled(nanos: Long, withSilent: Boolean): Unit = {
    if (!isFlushing) readNow() else if (mayDiscard) discard()
    if (handshakeStall(withSilent) >= nanos) {
      val what = if (socket.isSilent) "the client had sent nothing" else "the TLS handshake was stalled"
      finish(new SocketTimeoutException(s"$what while too many others were in progress"))
    }
  }

  /** See `ConnectionTimer.handshakeProceeds`; false without TLS. */
  private[needletail] def handshakeProceeds(): Boolean =
    socket.isSecure && (timer ne null) && isOpen && timer.handshakeProceeds()

  private[io] def handshakeTimedOut(): Unit =
    finish(new SocketTimeoutException(s"no TLS handshake within ${options.handshakeNanos / 1000000} ms"))

  /** Resets it, as nothing is to be computed for its handshake. It may have been closed while it waited for its turn. */
  private[io] def refuseHandshake(): Unit = if (!isClosed) {
    socket.refuseHandshake() // not a closed one: its descriptor may be another's
    finish(new HandshakeRefused)
  }

  /** Whether it was closed before its TLS handshake was complete. */
  private[needletail] def failedHandshake: Boolean = isClosed && socket.isSecure && (socket.session eq null)

  /** What a handshake that has failed is counted as. */
  private[needletail] def handshakeFailure: HandshakeFailure = socket.handshakeFailure
}
