package needletail.http

import needletail.async.Loop
import needletail.http.text.ByteWriter

/**
 * The byte channel to a peer that a protocol has taken over: a connection, or a stream of one. Used on its loop only.
 *
 * Each call of the protocol's [[TunnelHandler]] is a turn, in which it may write to `writer`; what is there at the end
 * of the turn is sent, as one write. At any other time `wake` requests a turn.
 */
private[needletail] trait Tunnel {
  def loop: Loop

  /** The connection, as handlers of requests see it. */
  def info: ConnectionInfo

  /** The loop's clock at the beginning of its current turn, in nanoseconds. */
  def nowNanos: Long

  /** The loop's writer, lent for this turn; null outside of a turn. */
  def writer: ByteWriter

  /** Sends what the writer holds now. In a turn only. */
  def flush(): Unit

  /** Sends these bytes, after what was written before; the array must never change again. At any time. */
  def writeOwned(bytes: Array[Byte], from: Int, count: Int): Unit

  /** Bytes sent that the kernel has not taken, without those in `writer`. */
  def pendingOutput: Int

  /**
   * A number that changes whenever the kernel takes some output. Offers it what is pending first: it reports room in
   * its buffer only long after a slow reader has freed it.
   */
  def outputProgress: Long

  /** How many bytes may wait for the peer before nothing more is read from it. */
  def maxPendingOutput: Int

  /** Whether the handler wants bytes. At first it does. Not read either while more than `maxPendingOutput` waits. */
  var wantsInput: Boolean

  /** When `deadlinePassed` is to be called, in nanoseconds of the loop's clock; MaxValue for never. */
  var deadline: Long

  /** Requests a call of `turn`, at the end of the loop's current turn. More requests until then count as one. */
  def wake(): Unit

  /**
   * Counts `more` bytes as held for the peer, besides `already`; false if there is no room for them. The handler
   * returns all of it by `release`, at the latest when it is closed.
   */
  def hold(more: Int, already: Long): Boolean
  def release(bytes: Long): Unit

  /** Ends the channel after all output, so that the peer receives all of it. What the peer still sends is dropped. */
  def finish(): Unit

  /** Ends the channel at once; the peer can distinguish it from an orderly end. */
  def abort(): Unit

  /** Reports an exception of code that the protocol has called. */
  def failed(what: String, cause: Throwable): Unit
}

/** A protocol on a [[Tunnel]]. All methods are called on its loop, one at a time, each as a turn. */
private[needletail] trait TunnelHandler {

  /**
   * Takes bytes, in an array that belongs to the caller. Returns the index up to which they were used; the rest is
   * passed again, followed by more. At most 64 KiB are kept so: a handler that uses none of them gets no more.
   */
  def receive(bytes: Array[Byte], from: Int, until: Int): Int

  /** The turn that `wake` has requested. */
  def turn(): Unit

  /** The kernel has taken all output. */
  def outputTaken(): Unit

  /** The peer sends no more. */
  def peerEnded(): Unit

  /** The tunnel's deadline has passed. */
  def deadlinePassed(): Unit

  /** The server stops: ends soon, in the protocol's own way. */
  def drain(): Unit

  /** Bytes held for the peer, as counted by `hold`. */
  def held: Long

  /** Of these, what waits until the handler's user goes on, whatever the peer does: it has been sent ahead. */
  def heldAhead: Long

  /** Memory is short: releases what is held, and ends unless it can do without all of that. */
  def relieve(): Unit

  /** There is no memory for the bytes that `receive` has not used: they are dropped, so it ends. */
  def inputDropped(): Unit

  /** The channel is closed; nothing can be written. Called once, last, and not as a turn. */
  def closed(): Unit
}
