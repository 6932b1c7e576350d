package needletail.server.connection

/**
 * What is held for a peer, and whether that peer makes progress: all that a connection holds, or what one of the
 * requests that share it does, as the others' traffic is no progress of its own. See [[MemoryRelief]]. Used on the
 * connection's loop.
 */
private[needletail] abstract class HeldMemory {

  /** Bytes that are held until the peer sends or reads something, or that it has sent ahead. All can be released. */
  private[needletail] def heldForPeer: Long

  /** Whether most of that is input that waits behind a reply, whatever its peer reads. */
  private[needletail] def holdsUnread: Boolean

  /** Whether it is output that waits until the peer reads. */
  private[needletail] def isOutput: Boolean

  /**
   * Grows with what the peer sends, unless that is for later than output which it has not read; without `holdsUnread` also
   * with what it reads. May overflow, and may be less where one of these has changed.
   */
  private[needletail] def progress: Long

  /** Whether the peer can make progress: what it sends is read. */
  private[needletail] def isHeard: Boolean = true

  /** Makes what has been read since show in `progress`. */
  private[needletail] def offerOutput(): Unit

  /** Releases the bytes: refuses or aborts the requests that they are held for. */
  private[needletail] def relieve(): Unit

  private var askedAt: Long        = Long.MinValue // never
  private var lookedAt: Long       = 0             // when the peer last made progress, and how much by then
  private var progressBefore: Long = 0

  /**
   * Whether the peer has sent almost nothing, or read nothing, for a while; that it reads is not enough where input
   * waits behind its reply. To be called repeatedly while memory is short: its time begins with the first call.
   *
   * @param now nanoseconds of the loop's clock
   */
  private[server] final def isStalled(now: Long): Boolean = {
    val isAhead  = holdsUnread
    val isReader = isOutput && !isAhead
    val patience = if (isReader || isAhead) HeldMemory.LongPatience else HeldMemory.SenderPatience
    // its time begins with the first call, and anew if there was none for long
    val begins = askedAt == Long.MinValue || now - askedAt > patience || !isHeard
    askedAt = now
    (begins || now - lookedAt >= patience) && {
      if (isReader) offerOutput()
      val moved  = progress
      val least  = if (isReader) 1 else HeldMemory.LeastSent
      val by     = moved - progressBefore // negative if a count has overflowed
      val stalls = !begins && by >= 0 && by < least
      if (!stalls) {
        lookedAt = now
        progressBefore = moved
      }
      stalls
    }
  }
}

private[server] object HeldMemory {

  // How long a peer may make no progress while memory is short, in nanoseconds, and how many bytes a peer that sends
  // must send in that time. Readers get more time, since their progress shows only in steps of the kernel's buffer, and
  // so do peers that have sent something ahead, as it may be read soon.
  private final val SenderPatience = 1000L * 1000 * 1000
  private final val LongPatience   = 5000L * 1000 * 1000
  private final val LeastSent      = 8 * 1024
}
