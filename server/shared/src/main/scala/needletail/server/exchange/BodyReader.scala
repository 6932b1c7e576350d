package needletail.server.exchange

import needletail.async.{Async, AsyncPromise, Value}
import needletail.http.{ByteStream, MessageBody}
import needletail.http.http1.ContentDecoder
import needletail.http.message.{Headers, HttpError, Status}
import needletail.http.text.ByteWriter
import needletail.io.loop.LoopMemory
import needletail.server.failure.MemoryExhausted

/**
 * Reads the content of one request from the window of its connection. Bytes stay in the connection until they are read.
 * When the reply is complete, unread content is dropped, up to a bound that the owner sets.
 *
 * @param announced Content-Length in bytes, or -1 if not known in advance
 * @param expectsContinue whether the client waits for 100 (Continue) before it sends the content
 * @param finder finds the content in the window; used for the next request once the content has ended
 */
private[server] final class BodyReader(
    window: InputWindow,
    owner: BodyOwner,
    context: ServerLoopContext,
    announced: Long,
    private var expectsContinue: Boolean,
    finder: ContentDecoder
) extends UnreadContent(window, finder) {
  private val home: Thread = Thread.currentThread // the loop's: another would take what others have sent

  private var failure: Throwable                      = null
  private var pull: AsyncPromise[Option[Array[Byte]]] = null
  private var partWanted: Boolean = false // whether `pull` may be succeeded by `BodyReader.part`

  // the part of the window that `BodyReader.part` stands for, until it is passed on

  var partBytes: Array[Byte] = null
  var partFrom: Int          = 0
  var partLength: Int        = 0

  /**
   * Bytes that are held for a caller of `bytes`, or for what is made of the content, such as a decompressed body. The
   * loop's memory counts them until the request is over.
   */
  var held: Long                = 0
  private var released: Boolean = false

  private var read: Long = 0

  private var dropping: Boolean     = false
  private var ended: Boolean        = false
  private var isTold: Boolean       = false // that it has ended, to who reads it
  private var reading: Byte         = BodyReader.Unread
  private var owesContinue: Boolean = false
  private var answered: Boolean     = false

  // How long the content was waited for, for its minimum rate; `waitsSince` is 0 if no reader waits
  private var waitedNanos: Long = 0
  private var waitsSince: Long  = 0

  protected def memory: LoopMemory = context.memory

  def length: Long      = announced
  def isEmpty: Boolean  = false
  def trailers: Headers = if (rare == null || rare.trailers == null) Headers.empty else rare.trailers

  /** Whether a reader waits for a piece. */
  def isWanted: Boolean = pull != null
  def isFailed: Boolean = failure != null

  /** Whether all of the content has been read. */
  def isDone: Boolean = ended

  /** Whether the rest will not be read, so that it is dropped as it arrives. */
  def isDropping: Boolean = dropping

  /** Bytes of content that were delivered. */
  def deliveredBytes: Long = read

  /** Bytes dropped, including chunk sizes. */
  def droppedBytes: Long = if (rare == null) 0 else rare.dropped

  /** Bytes of an incomplete trailer section, which `held` includes. */
  private def kept: Int = if (rare == null) 0 else rare.kept

  /** Whether more than a few bytes of the trailer section are kept, until the rest of it arrives. */
  def keepsTrailers: Boolean = kept > BodyReader.FewTrailers

  /** Bytes still to come; 0 if not known in advance. */
  def leftKnown: Long = if (ended || decoder.isChunked) 0 else decoder.left

  /** What `stream` is until it has been read. */
  val pieces: ByteStream        = new Reading(BodyReader.InPieces)
  private def whole: ByteStream = new Reading(BodyReader.Whole)

  private final class Reading(as: Byte) extends ByteStream {
    def next(): Async[Option[Array[Byte]]] = read(as)
    def cancel(): Unit                     = ()
  }

  private def read(as: Byte, asPart: Boolean = false): Async[Option[Array[Byte]]] =
    if (home ne Thread.currentThread) BodyReader.offLoop()
    else if (as == BodyReader.InPieces && isReadWhole) BodyReader.readTwice
    else {
      reading = as
      pullNext(asPart)
    }

  def stream: ByteStream = if (isReadWhole || isTold && isBegun) MessageBody.readBefore else pieces

  /** Whether reading has begun, and not of empty content, which can be read as often as one likes. */
  private[needletail] override def isBegun: Boolean =
    reading != BodyReader.Unread && failure == null && !(ended && read == 0)

  private def isReadWhole: Boolean = reading == BodyReader.Whole && isBegun

  def bytes: Async[Array[Byte]] = bytes(context.config.maxBodyInMemory)

  def bytes(limit: Int): Async[Array[Byte]] = {
    // larger than what the loop may ever hold is too large (413), not only short of memory now (503)
    val most = Math.min(limit.toLong, context.memory.largeShare).toInt
    if (home ne Thread.currentThread) BodyReader.offLoop()
    else if (isBegun) BodyReader.readTwice
    else {
      reading = BodyReader.Whole // also if it is refused, whatever its framing
      if (announced > most)
        Async.fail(HttpError(Status.ContentTooLarge, s"the body is larger than $most bytes"))
      else if (announced >= 0 && read == 0 && !ended && !dropping && input.available >= announced) {
        // the usual small body, which arrived with the head
        val refusal = hold(announced.toInt)
        if (refusal == null) {
          isTold = true
          read(BodyReader.Whole).map(piece => piece.getOrElse(BodyReader.none))
        } else Async.fail(refusal)
      } else {
        val refusal = hold(BodyReader.FirstRoom)
        if (refusal != null) Async.fail(refusal)
        else MessageBody.collect(whole, new ByteWriter(BodyReader.FirstRoom), most, announced, hold(_))
      }
    }
  }

  private[needletail] override def hold(n: Int): Throwable =
    if (released) null // the request is over: the content is not delivered
    else if (context.memory.take(n.toLong, held)) {
      held += n
      null
    } else {
      owner.bodyRefused(this)
      MemoryExhausted
    }

  /** Releases the collected content: the request is over, or its content will not be completed. */
  def release(): Unit = {
    released = true
    if (held != 0) {
      context.memory.give(held)
      held = 0
    }
  }

  /**
   * As `stream.next()`, for a reply that consists of this content. The piece can be `BodyReader.part`: then it is in
   * `partBytes`, which are the connection's, and has to be written before the turn ends; `partWritten` says that it was.
   */
  def nextPart(): Async[Option[Array[Byte]]] = read(BodyReader.InPieces, asPart = true)

  private def told: Async[Option[Array[Byte]]] = {
    isTold = true
    BodyReader.end
  }

  def partWritten(): Unit = {
    partBytes = null
    partLength = 0
  }

  private def pullNext(asPart: Boolean): Async[Option[Array[Byte]]] =
    if (failure != null) Async.fail(failure)
    else if (ended) told
    else if (pull != null && !pull.isCompleted) ByteStream.tooSoon
    else if (dropping) Async.fail(tooLate)
    else {
      val piece = if (input.available > 0) take(asPart) else null
      if (piece != null) new Value(Some(piece))
      else if (failure != null) Async.fail(failure)
      else if (ended) told
      else {
        val promise = new AsyncPromise[Option[Array[Byte]]]
        pull = promise
        partWanted = asPart
        promise.onCancel { () =>
          if (pull eq promise) {
            pull = null
            owner.bodyUnwanted(this)
          }
        }
        if (expectsContinue && !answered) owesContinue = true
        owner.bodyWanted(this)
        promise
      }
    }

  /** Delivers the content in the window to its reader. Returns false if more bytes are needed first. */
  def feed(): Boolean = {
    val piece = take(partWanted)
    if (piece == null && failure == null && !ended) false
    else {
      val waiting = pull
      pull = null
      if (waiting != null)
        if (piece != null) waiting.succeed(Some(piece))
        else if (failure != null) waiting.fail(failure)
        else {
          isTold = true
          waiting.succeed(None)
        }
      true
    }
  }

  /** The rest will not be read: from now on reading it fails. */
  def leave(): Unit = {
    dropping = true
    owesContinue = false
    if (!ended) decoder.removeLimit()
  }

  /** The reply is complete: a read that still waits fails. */
  def failRead(): Unit = if (isWanted) failRead(tooLate)

  private def failRead(cause: Throwable): Unit = {
    val waiting = pull
    pull = null
    if (waiting != null) waiting.fail(cause)
    ()
  }

  private def tooLate =
    new IllegalStateException("the reply is complete: its request's body can no longer be read")

  /** Drops the content in the window. Returns false if more bytes are to come and to be dropped. */
  def drop(): Boolean = {
    val before = input.available
    while (decodeOne()) ()
    val bytes = before - input.available
    if (bytes > 0) needed.dropped += bytes
    ended || failure != null
  }

  /** The content in the window, copied unless it may be `BodyReader.part`; null if there is none. */
  private def take(asPart: Boolean): Array[Byte] = {
    readAgain()
    if (decoder.isChunked) takeChunks() else takeKnown(asPart)
  }

  /** For content with a length, which is all of the window up to its end. Its length was checked before it began. */
  private def takeKnown(asPart: Boolean): Array[Byte] = {
    decoder.decode(input.bytes, input.position, input.limit)
    val n = decoder.dataUntil - decoder.dataFrom
    if (n == 0) null
    else {
      val piece = if (asPart) lend(n) else input.take(n)
      read += n
      if (decoder.isComplete) end()
      piece
    }
  }

  private def lend(n: Int): Array[Byte] = {
    if (partLength != 0) throw new IllegalStateException("a part of the content was not passed on")
    partBytes = input.bytes
    partFrom = input.position
    partLength = n
    input.skip(n)
    BodyReader.part
  }

  /** Several chunks in one window make one piece: many tiny ones cost no more than a large one. */
  private def takeChunks(): Array[Byte] = {
    val piece  = new Array[Byte](input.available)
    var length = 0
    while (decodeOne()) {
      val n = decoder.dataUntil - decoder.dataFrom
      System.arraycopy(input.bytes, decoder.dataFrom, piece, length, n)
      length += n
      read += n
    }
    if (length == 0 || failure != null) null
    else if (length == piece.length) piece
    else java.util.Arrays.copyOf(piece, length)
  }

  /** One step of the decoder through the window. Returns false if it needs more bytes, or nothing is left to decode. */
  private def decodeOne(): Boolean =
    if (input.isEmpty || ended || failure != null) false
    else {
      input.skip(decoder.decode(input.bytes, input.position, input.limit) - input.position)
      if (decoder.error != null) {
        fail(decoder.error)
        false
      } else if (decoder.isComplete) {
        val last = decoder.takeTrailers()
        if (!last.isEmpty) needed.trailers = last
        end()
        false
      } else if (decoder.keptBytes > kept) {
        keepTrailers()
        false
      } else decoder.dataUntil > decoder.dataFrom
    }

  private def keepTrailers(): Unit = {
    val more = decoder.keptBytes - kept
    needed.kept += more
    val refusal = if (dropping) null else hold(more)
    if (refusal != null) fail(refusal)
  }

  private def end(): Unit = {
    ended = true
    owesContinue = false
    owner.bodyEnded(this)
  }

  /** The content will not be completed: its reader fails with `cause`, and so does any later read. */
  def fail(cause: Throwable): Unit =
    if (failure == null && !ended) {
      failure = cause
      owesContinue = false
      release()
      owner.bodyFailed(this)
      failRead(cause)
    }

  // 100 (Continue), RFC 9110 §10.1.1

  /** Whether the content may not come, as the client may still wait for 100 (Continue). */
  def awaitsInvitation: Boolean = expectsContinue && read == 0 && !isAtHand

  /** The head of the final response has been written: 100 (Continue) is not allowed after it. */
  def headWritten(): Unit = {
    answered = true
    owesContinue = false
  }

  /** Whether to write 100 (Continue) now, as the content is being read. Returns true at most once. */
  def takeInvitation(): Boolean = owesContinue && {
    owesContinue = false
    expectsContinue = false
    read == 0
  }

  // the minimum rate; only time in which content was waited for counts

  /** The wait for content begins, at `now` on the loop's clock. */
  def waitBegins(now: Long): Unit = waitsSince = now

  /** The wait has ended: bytes have arrived, or nobody waits any more. Returns how long it was; 0 without a wait. */
  def waitEnds(now: Long): Long =
    if (waitsSince == 0) 0
    else {
      val waited = now - waitsSince
      waitedNanos += waited
      waitsSince = 0
      waited
    }

  /**
   * Whether fewer than `minRate` bytes have arrived per second of waiting. False for the first `graceNanos` and if
   * `minRate` is 0.
   */
  def isTooSlow(minRate: Long, graceNanos: Long): Boolean =
    minRate > 0 && waitedNanos > graceNanos && (read + droppedBytes) * 1e9 < minRate.toDouble * waitedNanos
}

private[server] object BodyReader {

  /** So many bytes of trailers may be kept though nobody reads them: the last CRLF may arrive in two parts. */
  private final val FewTrailers = 256

  /** Bytes allocated for content that is collected, before any of it has arrived. */
  private final val FirstRoom = 4 * 1024

  /** A piece that is a part of the window, see `nextPart`. */
  val part = new Array[Byte](1)

  // how the content is read
  private final val Unread: Byte   = 0
  private final val InPieces: Byte = 1
  private final val Whole: Byte    = 2

  private def offLoop(): Nothing = throw new IllegalStateException(
    "the content of a request, also of request.keep, is read on its connection's loop only: read it there first, as " +
      "in request.text.flatMap(text => Async.blocking(…)), and pass on what was read"
  )

  private def readTwice: Async[Nothing] = Async.fail(new IllegalStateException(MessageBody.ReadTwice))

  private val none = new Array[Byte](0)
  private val end  = Async.value(None)
}
