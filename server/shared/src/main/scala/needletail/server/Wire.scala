package needletail.server

import needletail.http.ConnectionInfo

/** The connection as a [[ServerSession]] sees it: somewhere to write, a clock, and a way to be called again. */
private[needletail] trait Wire {
  def info: ConnectionInfo
  def nowNanos: Long

  /** Octets written and not yet taken by the kernel. */
  def pendingOutput: Int

  /** Does the kernel not take what was written, so that `proceed` will come when it has? */
  def isBackedUp: Boolean = pendingOutput > 0

  /** Writes now or, what the kernel does not take, later from a copy. */
  def write(bytes: Array[Byte], from: Int, count: Int): Unit

  /** The same without a copy: the array never changes again. */
  def writeOwned(bytes: Array[Byte], from: Int, count: Int): Unit

  /**
   * Is the array that is being received from the session's own from now on? Where it says so, nothing overwrites it;
   * the session must use all of it.
   */
  def keepInput(bytes: Array[Byte]): Boolean = false

  /** Nothing may be sent or come for a while: has the kernel ask after so much silence whether the peer is there. */
  def probeWhenSilent(idleSeconds: Int): Unit = ()

  /** Asks for `session.proceed()` at the end of this turn; asking again before that changes nothing. */
  def wake(): Unit

  /** No more will be written: ends the connection so that the peer gets to read all that was. */
  def finish(): Unit

  /** Ends the connection at once, in a way the peer can tell from an orderly end. */
  def abort(): Unit
}
