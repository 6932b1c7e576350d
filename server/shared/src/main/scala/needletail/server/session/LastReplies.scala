package needletail.server.session

import needletail.server.exchange.{ServerExchange, ServerLoopContext}

/**
 * The replies of one HTTP/1.1 connection that no further request follows, because the client has ended its side or the
 * server stops. Those that would keep the connection open for nothing are ended.
 */
private[session] final class LastReplies(
    owner: ServerExchange.Owner,
    context: ServerLoopContext,
    state: SessionState,
    queue: ReplyQueue
) {

  /** The client has ended its side: replies have `halfCloseGrace` to become available. */
  def peerEnded(now: Long): Unit = if (!queue.isEmpty) queue.giveUpAt = now + context.halfCloseNanos

  /**
   * The time of `peerEnded`, or that of the last call, is over: cancels what is not available yet. Returns whether the
   * client has to be given up, too, as a stream has had nothing to send since the last call. Whether a client that has
   * ended its side has gone since is not told on the JVM.
   */
  def giveUp(now: Long): Boolean = {
    queue.giveUpAt = if (context.silenceNanos > 0) now + context.silenceNanos else Long.MaxValue
    context.counts.abandoned += queue.dropUnanswered()
    endEventStreams()
    queue.isStillSilent() && {
      context.counts.abandoned += queue.length
      true
    }
  }

  /** From now on event streams end where they wait for an event. */
  def endEventStreams(): Unit = {
    state.endsEvents = true
    if (!queue.isEmpty && queue.first.isAwaiting && queue.first.isEventStream) owner.exchangeChanged()
  }
}
