package needletail.server.session

import needletail.server.failure.MemoryExhausted

/** What is held for the client of a [[ServerSession]], as far as the session knows: see `MemoryRelief`. */
private[needletail] final class SessionMemory private[session] (
    state: SessionState,
    reader: RequestReader,
    queue: ReplyQueue
) {

  /** Bytes that the session holds, besides its connection, until its client has sent the rest. */
  def heldForClient: Long = if (reader.body != null && reader.body.isWanted) reader.body.held else 0

  /** Bytes of replies that the session holds until those before them have been sent. */
  def waitingReplies: Long = queue.waitingBytes

  /** Releases these: their requests are refused, which the client is told in their turn. */
  def refuseWaiting(): Unit = queue.refuseWaiting()

  /** Whether it waits for the rest of something that has begun to arrive. */
  def awaitsClient: Boolean =
    !state.isEnded && (state.isInHead || reader.body != null && reader.body.isWanted)

  /**
   * Whether what it reads is content of the request whose reply is due next, or was written last; not of a later one,
   * nor while earlier replies wait for the client to read them.
   */
  def readsContent: Boolean =
    state.hasContent && reader.followsAllOutput && (queue.isEmpty || (queue.first.body eq reader.body))

  /** Whether a handler is at work, or a stream whose first piece the reply waits for. */
  def isAtWork: Boolean = queue.isAtWork

  /**
   * Whether input that is not used waits behind a reply, without a handler at work that may read it: requests that were
   * sent ahead, or content of a request whose reply does not read it now.
   */
  def holdsUnread: Boolean = !queue.isEmpty && {
    if (state.hasContent) reader.isContentUnread && !queue.isAtWorkFor(reader.body)
    else if (state.isAsking) !isAtWork
    else !state.isClosed
  }

  /** Releases it: an incomplete request is refused, and reading ends. The session must take a turn then. */
  private[session] def relieve(refused: RefusedRequests, writer: ReplyWriter): Unit =
    if (!state.hasContent)
      if (state.isInHead || state.isHeld || queue.isEmpty) refused.addForMemory(reader.isAtHeadRequest)
      else {
        if (state.isAsking) writer.hasDropped = true
        reader.stop() // which requests have been sent ahead is not known
      }
    else if (!state.isDropping) {
      if (!holdsUnread) refused.countForMemory(reader.body)
      reader.body.fail(MemoryExhausted)
    } else reader.stop()
}
