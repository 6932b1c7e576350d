package needletail.server.session

import needletail.http.message.{HttpError, Status}
import needletail.server.exchange.{RequestRunner, SessionOutput}
import needletail.server.failure.ConnectionLost

/**
 * The server's side of one HTTP/1.1 connection, without I/O: bytes are passed to `receive`, replies are written to the
 * [[SessionOutput]], in the order of their requests. All of it happens on the connection's loop.
 *
 * Each entry (`receive`, `proceed`, `peerEnded`, `deadlinePassed`, …) is a turn, which does all it can and, at its
 * end, writes what there is to write ([[SessionTurn]]).
 */
private[needletail] final class ServerSession(output: SessionOutput, runner: RequestRunner)
    extends SessionTurn(output, runner) {

  /**
   * Takes bytes from the client, in an array that belongs to the caller. Returns the index up to which they were used;
   * the rest must be passed again, followed by more.
   */
  @inline def receive(bytes: Array[Byte], from: Int, until: Int): Int = {
    if (state.isHeld) state.on(SessionState.RoomAgain)
    input.open(bytes, from, until)
    turn()
    input.close()
  }

  /** Runs the turn that `wire.wake` has requested, or one after the output has been taken. */
  def proceed(): Unit = turn()

  /**
   * The client will send no more, but may still read replies. Replies that are available soon are written, and streams
   * continue as long as they are read; the rest is cancelled after `halfCloseGrace`. Event streams end then, when they
   * wait for an event: a client that reads events does not end its side unless it has gone.
   *
   * @param isContentKept whether the caller has all the rest of the last request's content, and will pass it
   */
  def peerEnded(isContentKept: Boolean = false): Unit = {
    val isRestKept = isContentKept && state.hasContent && !state.isDropping || reader.hasLast
    if (reader.hasBegunHead)
      refuse(HttpError(Status.BadRequest, "the request ended before its head did"), reader.isAtHeadRequest)
    else if (state.hasContent && !state.isDropping && !isRestKept)
      reader.body.fail(RequestReader.cutOff)
    reader.peerEnded(isRestKept)
    lastReplies.peerEnded(wire.nowNanos)
    turn()
  }

  /** The caller has all the rest of the last request's content, which is not wanted now, and will pass it when it is. */
  def contentIsKept(): Unit = if (reader.isContentUnread) {
    reader.body.restIsKept()
    turn()
  }

  /** The connection is lost: what handlers wait for is cancelled. */
  def peerGone(): Unit = {
    state.on(SessionState.Lost)
    if (reader.body != null) reader.body.fail(new ConnectionLost)
    queue.dropAll()
    reader.end()
  }

  /** The server stops: requests in progress are answered, and one more is read at most. */
  def drain(): Unit = {
    lastReplies.endEventStreams()
    takeLast()
  }

  /** The next request is the only one, or the last. */
  def takeLast(): Unit = {
    state.isDraining = true
    if (isIdle) {
      wire.handshakeProceeds() // from here on it counts
      reader.idleAgain()
    }
  }

  /** The loop's idle timeout has changed. */
  def idleTimeoutChanged(): Unit = if (isIdle && !state.isDraining) reader.idleTimeoutChanged()

  /** Whether the connection has been ended. The session does not use it any more. */
  def isFinished: Boolean = state.isEnded

  /** Whether no request is in progress, and nothing waits to be written. The next may be left to the next turn. */
  def isIdle: Boolean = state.isIdle && wire.pendingOutput == 0

  /** Whether bytes may be read for this session now. To be called between turns, when the loop's writer is empty. */
  def wantsInput: Boolean =
    if (state.readsHeads)
      queue.length < context.maxPipelined && wire.pendingOutput <= context.maxPendingOutput
    else state.hasContent && reader.isContentWanted || state.isAsking // to notice the client's end

  /** Whether to read all the same, to notice the client's end. `hasUnused`: the connection keeps bytes that were not used. */
  def watchesForEnd(hasUnused: Boolean): Boolean =
    reader.watchesForEnd(!queue.isEmpty, hasUnused || wire.pendingOutput > context.maxPendingOutput)

  // time

  /** When `deadlinePassed` is to be called, in nanoseconds of the loop's clock; MaxValue if never. */
  def deadline: Long =
    if (queue.isEmpty) reader.deadline else Math.min(reader.deadline, queue.deadline)

  /** A deadline has passed: ends what has timed out, if anything has. */
  def deadlinePassed(): Unit = {
    val now = wire.nowNanos
    if (queue.giveUpAt <= now && lastReplies.giveUp(now)) {
      peerGone()
      wire.abort()
    }
    context.counts.timeouts += queue.expireHandlers(now, RequestRunner.tooSlow)
    if (!state.isEnded && reader.deadline <= now) {
      val tooSlow = reader.deadlinePassed(wantsInput, isIdle)
      if (tooSlow != null) refuse(tooSlow, reader.isAtHeadRequest)
    }
    turn()
  }

  // memory

  /** What is held for its client, to be asked for now. */
  def memory: SessionMemory = new SessionMemory(state, reader, queue)

  /** Releases memory held for this client: an incomplete request is refused, and reading ends. */
  def relieve(): Unit = if (!state.isEnded) {
    memory.relieve(refused, writer)
    turn()
  }
}
