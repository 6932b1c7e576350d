package needletail.http.http1

import needletail.http.message.{Headers, HttpError, Status}

/**
 * Decodes a message's content from the bytes after its head (RFC 9112 §6.3), in each of its three framings: with a
 * length, chunked, or until the connection closes.
 *
 * It does no I/O, copies no content, and allocates nothing per piece. A decoder is used for one message after
 * another; one of the `begin` methods starts each.
 *
 * Call `decode` while there are bytes and not `isOver`. Each call finds at most one piece of content, from `dataFrom`
 * until `dataUntil`. After each call check `isComplete` and `error`: the call that finds the last piece of content
 * with a length also completes it.
 *
 * @param maxTrailers bytes of the trailer section, including its empty line; beyond: 431
 * @param maxTrailerFields fields of the trailer section; beyond: 431
 */
private[needletail] final class ContentDecoder(maxTrailers: Int, maxTrailerFields: Int) {
  import ContentDecoder.*

  private var framing                = Length
  private var remaining              = 0L   // of content with a length
  private var limit                  = 0L   // bytes of content allowed
  private var chunks: ChunkedDecoder = null // created for the first chunked content, then reused

  /**
   * Where the last `decode` found a piece of content, in the array passed to it; equal to `dataUntil` if there is
   * none.
   */
  var dataFrom: Int  = 0
  var dataUntil: Int = 0

  /** Bytes of content so far. */
  var total: Long = 0

  /** Whether all of the content has been decoded, including its trailers. */
  var isComplete: Boolean = true

  /**
   * The error, or null: 400 for malformed chunks, 413 for content beyond the limit, 431 for too many or too large
   * trailers. After an error nothing more can be read from the connection.
   */
  var error: HttpError = null

  /** The trailer fields of complete content; empty unless it was chunked. */
  var trailers: Headers = Headers.empty

  /** Starts content of `length` bytes; at most `limit` are allowed. Content of 0 bytes is complete at once. */
  @inline def beginLength(length: Long, limit: Long): Unit = {
    begin(Length, limit)
    remaining = length
    if (length > limit) tooLarge()
    else isComplete = length == 0
  }

  /** Starts chunked content of at most `limit` bytes of data. It fails as soon as a chunk announces more. */
  @noinline def beginChunked(limit: Long): Unit = {
    begin(Chunks, limit)
    if (chunks == null) chunks = new ChunkedDecoder(maxTrailers, maxTrailerFields)
    else chunks.reset()
  }

  /** Starts content of at most `limit` bytes that ends when the connection closes. */
  def beginUntilClose(limit: Long): Unit = begin(UntilClose, limit)

  /** Starts the content that a head announces, as found by [[Framing]]. */
  @inline def begin(head: MessageHead, limit: Long): Unit =
    if (!head.chunked && head.contentLength >= 0) beginLength(head.contentLength, limit)
    else if (head.chunked) beginChunked(limit)
    else beginUntilClose(limit)

  /** Removes the limit, for content that is read only to be discarded. */
  def removeLimit(): Unit = limit = Unlimited

  /** Returns `trailers` and keeps no reference to them, for a decoder that outlives the message. */
  def takeTrailers(): Headers = {
    val taken = trailers
    if (taken ne Headers.empty) {
      trailers = Headers.empty
      chunks.forgetTrailers()
    }
    taken
  }

  /** Bytes that are kept of a trailer section which has not arrived completely. */
  def keptBytes: Int = if (framing == Chunks) chunks.keptBytes else 0

  /** Drops them: the rest of the content will not be decoded. */
  def abandon(): Unit = if (framing == Chunks) chunks.abandon()

  /** Finds where chunked content ends in the bytes behind those that were decoded, without decoding them. */
  def findsEnd(): ContentEnd = new ContentEnd(chunks, limit - total)

  /** Whether decoding has ended: the content is complete or malformed. */
  def isOver: Boolean = isComplete || error != null

  /** Whether the content is chunked. */
  def isChunked: Boolean = framing == Chunks

  /** Bytes of content still to come; -1 if not known in advance. */
  def left: Long = if (framing == Length) remaining else -1

  /** Bytes left in the current chunk; 0 between chunks, and for content that is not chunked. */
  def chunkLeft: Long = if (framing == Chunks) chunks.chunkLeft else 0

  /**
   * Decodes up to one piece of content, the end of the content, or the end of the bytes. Returns the offset up to
   * which the bytes are consumed: all of them if no piece was found and the content is not over.
   *
   * The bytes belong to the caller, who must leave those from `dataFrom` until `dataUntil` in place while it uses
   * them.
   */
  @inline def decode(bytes: Array[Byte], from: Int, until: Int): Int = {
    dataFrom = from
    dataUntil = from
    if (isOver || from == until) from
    else if (framing == Length) {
      val n = Math.min(remaining, (until - from).toLong).toInt
      remaining -= n
      isComplete = remaining == 0
      found(from, from + n)
      from + n
    } else decodeOther(bytes, from, until)
  }

  @noinline private def decodeOther(bytes: Array[Byte], from: Int, until: Int): Int =
    if (framing == Chunks) inChunks(bytes, from, until)
    else if (until - from > limit - total) {
      tooLarge()
      from
    } else {
      found(from, until)
      until
    }

  /**
   * Call this when the connection is closed. Returns whether the content is complete, which it is if the close ends
   * it; otherwise it was truncated.
   */
  def inputEnded(): Boolean = {
    if (framing == UntilClose && error == null) isComplete = true
    isComplete
  }

  private def inChunks(bytes: Array[Byte], from: Int, until: Int): Int = {
    val used = chunks.decode(bytes, from, until)
    val n    = chunks.dataUntil - chunks.dataFrom
    // a chunk announces its size before its data arrives
    if (limit != Unlimited && chunks.chunkLeft > limit - total - n) tooLarge()
    else if (chunks.state == ChunkedDecoder.Data) found(chunks.dataFrom, chunks.dataUntil)
    else if (chunks.state == ChunkedDecoder.Done) {
      trailers = chunks.trailers
      isComplete = true
    } else if (chunks.state == ChunkedDecoder.Bad) error = chunks.error
    used
  }

  private def found(from: Int, until: Int): Unit = {
    dataFrom = from
    dataUntil = until
    total += until - from
  }

  @inline private def begin(framing: Int, limit: Long): Unit = {
    this.framing = framing
    this.limit = limit
    dataFrom = 0
    dataUntil = 0
    total = 0
    isComplete = false
    // References are written only if they change, as each write of one costs a garbage collector's barrier
    if (error != null) error = null
    if (chunks != null && (trailers ne Headers.empty)) trailers = Headers.empty
  }

  @noinline private def tooLarge(): Unit =
    error = HttpError(Status.ContentTooLarge, s"the body is larger than $limit bytes")
}

private[needletail] object ContentDecoder {

  /** As a limit: any amount of content is allowed. */
  final val Unlimited = Long.MaxValue

  // Framings
  private final val Length     = 0
  private final val Chunks     = 1
  private final val UntilClose = 2
}
