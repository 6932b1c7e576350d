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

  /** Whether what the peer sends now is for later than the output that waits for it, and so is no progress. */
  private[needletail] def sendsAhead: Boolean = false

  /** Bytes that the peer has sent so far. */
  private[needletail] def bytesSent: Long

  /** Grows as the peer reads. */
  private[needletail] def outputTaken: Long

  /** Whether the peer can make progress: what it sends is read. */
  private[needletail] def isHeard: Boolean = true

  /** Makes what has been read since show in `outputTaken`. */
  private[needletail] def offerOutput(): Unit

  /** Releases the bytes: refuses or aborts the requests that they are held for. */
  private[needletail] def relieve(): Unit

  private var askedAt: Long  = Long.MinValue // never
  private var lookedAt: Long = 0             // when the peer last made progress
  private var progress: Long = 0 // since then: bytes that it sent or read, whichever counted at the time

  // by the last call
  private var sentBefore: Long  = 0
  private var takenBefore: Long = 0

  private def count(isAhead: Boolean, isReader: Boolean): Unit = {
    val sent  = bytesSent
    val taken = outputTaken
    if (!(isReader && sendsAhead)) progress += sent - sentBefore
    // a count that has begun anew is that of somebody who reads
    if (!isAhead) progress += (if (taken >= takenBefore) taken - takenBefore else HeldMemory.LeastSent.toLong)
    sentBefore = sent
    takenBefore = taken
  }

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
    val isTime = begins || now - lookedAt >= patience
    if (isTime && isReader) offerOutput()
    count(isAhead, isReader)
    isTime && {
      val stalls = !begins && progress < (if (isReader) 1 else HeldMemory.LeastSent)
      if (!stalls) {
        lookedAt = now
        progress = 0
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
