package needletail.http

import needletail.async.{Async, Loop}
import needletail.http.message.{Headers, HttpError, Status}
import needletail.http.text.ByteWriter
import needletail.stream.{FrameError, Stream}

/**
 * The content of a request or a response. It can be read once: whole, or as a stream on demand. Content of a request
 * that was received is not read a second time as if there were none, or only the rest: reading it whole fails with an
 * IllegalStateException once anybody has begun to read it, and so does what needs all of it, such as a form in parts, a
 * decoded body or a proxy, and a stream that is asked for when it is being read whole, or has been read to its end.
 * What is left is read from the stream that was begun. Content that is in memory can be read again.
 */
abstract class MessageBody private[needletail] () {

  /** Bytes of content; -1 if the length is not known in advance. */
  def length: Long

  /** Whether it is known to have no content. */
  def isEmpty: Boolean

  /**
   * The content in pieces, each read from the connection on demand. All streams of content that is being received share
   * the pieces, until its end has been read.
   */
  def stream: ByteStream

  /**
   * The content's lines, as `Stream.lines` finds them. A line of more than `longest` bytes fails with HttpError 413. What
   * is kept of an incomplete line of a request counts towards the server's `memoryBudget`.
   */
  final def lines(longest: Int = Stream.LongestLine): Stream[String] =
    stream.linesWithin(longest, hold(_)).recoverWith { case e: FrameError =>
      Stream.fail(HttpError(Status.ContentTooLarge, e.getMessage))
    }

  /**
   * The whole content, of at most `limit` bytes. Fails with HttpError 413 for more, and with 408 if the client stops
   * sending. The array belongs to the caller. Content of a request that was received and is too large counts as read:
   * it is not read again with a higher limit, nor as a stream.
   */
  def bytes(limit: Int): Async[Array[Byte]]

  /** The whole content, up to the server's limit (`ServerConfig.maxBodyInMemory`). */
  def bytes: Async[Array[Byte]]

  /**
   * Whether anybody has begun to read content of a request that was received, so that nobody else can read all of it.
   */
  private[needletail] def isBegun: Boolean = false

  /** Whether it is in memory, and can be read again. */
  private[needletail] def isFixed: Boolean = false

  /** To be called before it is passed on to a service: throws IllegalStateException if that would get only the rest. */
  private[needletail] final def refuseIfBegun(): Unit =
    if (isBegun)
      throw new IllegalStateException(
        "the content of the request cannot be passed on, as reading it has begun here: pass on what was read"
      )

  /** The content for those who need all of it: their first `next` fails if anybody else has begun to read by then. */
  private[needletail] final def allPieces: ByteStream = new ByteStream {
    private var own: ByteStream = null

    def next(): Async[Option[Array[Byte]]] =
      if (own == null && isBegun) MessageBody.readBefore.next()
      else {
        if (own == null) own = stream
        own.next()
      }

    def cancel(): Unit = {
      if (own == null && !isBegun) own = stream
      if (own != null) own.cancel()
    }
  }

  /** The trailer fields; empty before the end has been read, and where there are none. */
  def trailers: Headers

  /**
   * Counts `more` bytes that have been made of this content, and that stay in memory until the request is over, among
   * those that are held for the client. Null permits them; anything else is the failure of what wants them.
   */
  private[needletail] def hold(more: Int): Throwable = {
    val _ = more
    null
  }
}

object MessageBody {
  private final class Fixed(content: Array[Byte]) extends MessageBody {
    def length: Long                          = content.length.toLong
    def isEmpty: Boolean                      = content.length == 0
    def stream: ByteStream                    = ByteStream.of(content)
    def bytes(limit: Int): Async[Array[Byte]] =
      if (content.length > limit)
        Async.fail(HttpError(Status.ContentTooLarge, s"the body is larger than $limit bytes"))
      else Async.value(content)
    def bytes: Async[Array[Byte]] = Async.value(content)
    def trailers: Headers         = Headers.empty

    private[needletail] override def isFixed: Boolean = true
  }

  /**
   * A body that reads `source`; `announced` is its length in bytes, or -1. If it is made of another one, what is collected
   * of it counts as that one's.
   */
  private[needletail] def streamed(
      source: ByteStream,
      announced: Long,
      origin: MessageBody = empty
  ): MessageBody = new MessageBody {
    def length: Long       = announced
    def isEmpty: Boolean   = announced == 0
    def stream: ByteStream =
      if (origin eq empty) source else if (isCollected || isAtEnd && hasContent) readBefore else pieces
    def bytes(limit: Int): Async[Array[Byte]] =
      if (isBegun) Async.fail(new IllegalStateException(ReadTwice))
      else {
        isCollected = true
        collect(source, new ByteWriter(1024), limit, hold = origin.hold(_))
      }
    def bytes: Async[Array[Byte]] = bytes(Int.MaxValue)
    def trailers: Headers         = Headers.empty

    private[needletail] override def hold(more: Int): Throwable = origin.hold(more)

    private[needletail] override def isBegun: Boolean =
      if (isCollected || isTaken) isCollected || hasContent || !isAtEnd else origin.isBegun

    private var isCollected = false

    // of `pieces`
    private var isTaken    = false
    private var hasContent = false
    private var isAtEnd    = false

    private val pieces: ByteStream = new ByteStream {
      def next(): Async[Option[Array[Byte]]] =
        if (isCollected) readBefore.next()
        else {
          isTaken = true
          source.next().map { piece =>
            if (piece.isEmpty) isAtEnd = true else hasContent = true
            piece
          }
        }
      def cancel(): Unit = source.cancel()
    }
  }

  private[needletail] final val ReadTwice =
    "the content of a request can be read once, whole or as a stream, and has been read, or refused as too large or " +
      "for want of memory: keep what was read, or the stream"

  /** In place of the stream of content that has been read. */
  private[needletail] val readBefore: ByteStream = new ByteStream {
    def next(): Async[Option[Array[Byte]]] = Async.fail(new IllegalStateException(ReadTwice))
    def cancel(): Unit                     = ()
  }

  /**
   * Reads a stream to its end into one array. Fails with HttpError 413 beyond `limit`. If `announced` is not negative,
   * room for all of it is allocated once half has arrived. Before the array grows, `hold` is asked whether that many more bytes
   * may be held: null permits it, anything else is the failure. A source that always has a piece ready, even an empty
   * one, lets the loop go on now and then.
   */
  private[needletail] def collect(
      source: ByteStream,
      into: ByteWriter,
      limit: Int,
      announced: Long = -1,
      hold: Int => Throwable = null
  ): Async[Array[Byte]] = collectOn(source, into, limit, announced, hold, ReadyPieces)

  /** @param left pieces that may be ready before the loop goes on */
  private def collectOn(
      source: ByteStream,
      into: ByteWriter,
      limit: Int,
      announced: Long,
      hold: Int => Throwable,
      left: Int
  ): Async[Array[Byte]] = {
    val next     = source.next()
    val wasReady = next.isCompleted
    next.flatMap {
      case None        => Async.value(into.taken)
      case Some(piece) =>
        if (piece.length > limit - into.length) {
          source.cancel()
          Async.fail(HttpError(Status.ContentTooLarge, s"the body is larger than $limit bytes"))
        } else {
          val more    = into.roomFor(piece.length, announced) - into.bytes.length
          val refusal = if (hold == null || more == 0) null else hold(more)
          if (refusal != null) {
            source.cancel()
            Async.fail(refusal)
          } else {
            into.ensure(piece.length, announced)
            into.write(piece)
            if (left > 0)
              collectOn(source, into, limit, announced, hold, if (wasReady) left - 1 else ReadyPieces)
            else if (Loop.currentOrNull == null) collect(source, into, limit, announced, hold)
            else Async.yieldNow.flatMap(_ => collect(source, into, limit, announced, hold))
          }
        }
    }
  }

  /** Pieces that are collected in one turn of the loop, if all of them are ready. */
  private final val ReadyPieces = 256

  /** A body without content. */
  val empty: MessageBody = new Fixed(new Array[Byte](0))

  /** A body of these bytes; the array must not change afterwards. */
  def of(content: Array[Byte]): MessageBody = if (content.length == 0) empty else new Fixed(content)

  /** A text in UTF-8. */
  def of(text: String): MessageBody = of(text.getBytes(java.nio.charset.StandardCharsets.UTF_8))
}
