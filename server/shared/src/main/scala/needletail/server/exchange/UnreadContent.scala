package needletail.server.exchange

import needletail.http.MessageBody
import needletail.http.http1.{ContentDecoder, ContentEnd}
import needletail.http.message.Headers
import needletail.io.loop.LoopMemory

/**
 * What of a request's content has arrived, or may arrive, while nobody reads it. It stays in the connection, which
 * notices that its client has ended its side or is gone only as far as it reads: so a little may arrive.
 */
private[server] abstract class UnreadContent(
    protected val input: InputWindow,
    protected val decoder: ContentDecoder
) extends MessageBody {
  import UnreadContent._

  /** That of the loop. */
  protected def memory: LoopMemory

  /** Bytes that have arrived, and that the connection keeps, as nobody has read them; with what is behind the content. */
  private var unused: Int = 0

  /** What only some requests need; null until then, so that small ones stay small. */
  protected final var rare: Rare = null

  protected final def needed: Rare = {
    if (rare == null) rare = new Rare
    rare
  }

  /** Bytes still to come; 0 if not known in advance. */
  def leftKnown: Long

  /** Nobody reads now what has arrived. */
  final def leaveInWindow(): Unit = if (input.available > unused) {
    unused = input.available
    if (decoder.isChunked) {
      val r = needed
      if (r.end == null) r.end = decoder.findsEnd()
      r.end.look(input.bytes, input.position, input.limit)
    }
  }

  /** What has arrived is being read. */
  protected final def readAgain(): Unit = {
    unused = 0
    if (rare != null) {
      rare.watchesAt = 0
      rare.isWatched = false
      rare.end = null
    }
  }

  /** Whether something has been left in the window. */
  final def isLeftInWindow: Boolean = unused > 0

  /** Whether all the rest has been left so, with or without bytes behind it. */
  final def isLeftWhole: Boolean = {
    val left = leftAtHand
    left > 0 && unused >= left || rare != null && rare.isKept
  }

  /** Whether reading it will succeed, too. */
  final def isAtHand: Boolean = isLeftWhole && (rare == null || rare.end == null || !rare.end.isTooLarge)

  /** The caller of the session has all the rest, and keeps it until it is read. */
  final def restIsKept(): Unit = needed.isKept = true

  /** Bytes up to the end of the content, as they are transferred; 0 if not known. */
  private def leftAtHand: Long =
    if (!decoder.isChunked) leftKnown
    else if (rare == null || rare.end == null) 0
    else Math.max(0, rare.end.distance).toLong

  /**
   * Whether it may arrive though nobody reads it: where it is not more than a connection keeps anyway, which is not known
   * of chunks, and a little of it once nobody has read it for a while; but not what is behind it.
   */
  final def mayArrive: Boolean = {
    val left = leftAtHand
    if (left == 0) decoder.isChunked && isWatched && unused < MostUnused && !memory.isTight
    else {
      val isLittle = isWatched && unused < MostWatched
      unused <= left && (unused == left || (isLittle || left <= MostUnused) && !memory.isTight)
    }
  }

  private def isWatched: Boolean = rare != null && rare.isWatched

  /** Nobody reads it, at `now`: when to call `watch`; MaxValue if it was called, or need not be. */
  final def watchAt(now: Long): Long =
    if (isWatched || !decoder.isChunked && leftKnown <= MostUnused) Long.MaxValue
    else {
      val r = needed
      if (r.watchesAt == 0) r.watchesAt = now + WatchNanos
      r.watchesAt
    }

  /** Nobody has read it for a while: a little of it may arrive. */
  final def watch(): Unit = needed.isWatched = true
}

private[server] object UnreadContent {

  /** Of content that is large or chunked and not read for a while, is dropped, or has trailers. */
  final class Rare {

    /** When `watch` is to be called; 0 if somebody has just read. */
    var watchesAt: Long    = 0
    var isWatched: Boolean = false

    /** Finds the end of chunked content in what nobody has read; null if all has been read. */
    var end: ContentEnd = null

    /** Whether the rest is kept outside of the session. */
    var isKept: Boolean = false

    /** Bytes that nobody wanted, chunk sizes included. */
    var dropped: Long = 0

    /** Bytes of an incomplete trailer section, which are among those held. */
    var kept: Int = 0

    /** Null for none. */
    var trailers: Headers = null
  }

  /** Bytes of content that may arrive before it is read; if it is chunked, once nobody has read it for `WatchNanos`. */
  private final val MostUnused = 16 * 1024

  /** The same for content that is known to be larger. */
  private final val MostWatched = 8 * 1024
  private final val WatchNanos  = 100L * 1000 * 1000
}
