package needletail.server.exchange

import needletail.http.{ConnectionInfo, Upgrade}
import needletail.io.FilePart

/** A connection as its [[ServerSession]] sees it: where to write, a clock, and a way to be called again. */
private[needletail] trait SessionOutput {

  /** The connection as handlers see it; requested for its first request. */
  def info: ConnectionInfo

  /** The loop's clock at the beginning of its current turn, in nanoseconds. */
  def nowNanos: Long

  /** Bytes written that the kernel has not taken. */
  def pendingOutput: Int

  /** Bytes written so far that the kernel has taken; 0 if unknown. */
  def takenOutput: Long = 0

  /** Bytes that are held for input which the session has not used. */
  def heldInput: Int = 0

  /** Whether the kernel has not taken everything. Then `proceed` will be called when it has. */
  def isBackedUp: Boolean = pendingOutput > 0

  /** Writes `count` bytes now. What the kernel does not take is copied, and written later. */
  def write(bytes: Array[Byte], from: Int, count: Int): Unit

  /** As `write`, without a copy: the caller promises that the array never changes again. */
  def writeOwned(bytes: Array[Byte], from: Int, count: Int): Unit

  /** Writes the beginning of one array, and then bytes of another; with `mayKeep` as `writeOwned` does. */
  def writeBoth(
      first: Array[Byte],
      firstCount: Int,
      bytes: Array[Byte],
      from: Int,
      count: Int,
      mayKeep: Boolean
  ): Unit = {
    write(first, 0, firstCount)
    if (mayKeep) writeOwned(bytes, from, count) else write(bytes, from, count)
  }

  /** Whether `send` may be called. */
  def sendsFiles: Boolean = false

  /** See `Connection.send`. Whether the kernel has taken too little is told by `isBackedUp`. */
  def send(part: FilePart, most: Int): Unit = throw new UnsupportedOperationException

  /**
   * Gives the session the array that it is being called with. Returns true if nothing will overwrite it; the session
   * must then use all of it.
   */
  def keepInput(bytes: Array[Byte]): Boolean = false

  /** The session will use the next `n` bytes at once, see `Connection.expectInput`. */
  def expectInput(n: Int): Unit = ()

  /** Has the bytes passed again that the session has left, although no more have arrived. */
  def offerAgain(): Unit = ()

  /** Makes the kernel probe the peer once nothing has arrived for `idleSeconds` seconds. */
  def probeWhenSilent(idleSeconds: Int): Unit = ()

  /**
   * Whether the connection's TLS handshake has got further since this was called before, or is being computed: then its
   * client could not have sent a request. False without TLS.
   */
  def handshakeProceeds(): Boolean = false

  /**
   * Requests a call of `session.proceed()` at the end of the loop's current turn. Further requests until then count as
   * one.
   */
  def wake(): Unit

  /** Whether the connection may be handed over to another protocol. */
  def canSwitch: Boolean = false

  /** Hands the connection over: the session has written everything, and does not use it any more. */
  def switchTo(protocol: Upgrade.Accepted, info: ConnectionInfo): Unit =
    throw new IllegalStateException("this connection cannot switch")

  /** Ends the connection after all output, so that the peer receives all of it. */
  def finish(): Unit

  /** Ends the connection at once, so that the peer can distinguish it from an orderly end. */
  def abort(): Unit
}
