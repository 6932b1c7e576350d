package needletail.server

import needletail.async.{Async, Promise}
import needletail.http.{Body, ByteStream, ByteWriter, ChunkedDecoder, Headers, HttpError, Status}

/**
 * The content of the request that is being read. Octets stay in the connection until somebody asks for them;
 * when the reply is complete, what nobody read is dropped, up to a bound.
 *
 * @param announced Content-Length, or -1 for chunked
 */
private[server] final class SessionBody(
    session: ServerSession,
    announced: Long,
    maxTotal: Long,
    maxInMemory: Int,
    var expectsContinue: Boolean,
    decoder: ChunkedDecoder // null where Content-Length tells the end
) extends Body {
  private var remaining: Long                    = announced
  private var failure: Throwable                 = null
  private var lastTrailers: Headers              = Headers.empty
  private var pull: Promise[Option[Array[Byte]]] = null

  /** Bytes that are held for who collects it, as the loop's memory knows, until its request is over. */
  var held: Long                = 0
  private var released: Boolean = false

  /** Octets of content so far, and of it what was dropped. */
  var total: Long   = 0
  var dropped: Long = 0

  /** Nobody will read the rest: it is dropped as it comes. */
  var dropping: Boolean = false
  var isDone: Boolean   = false

  /** The head of the final response is out, if only in the writer: no 100 (Continue) may come any more. */
  var isAnswered: Boolean = false

  /** The client may be waiting for 100 (Continue): nobody can tell whether the body will come. */
  def awaitsInvitation: Boolean = expectsContinue && total == 0

  /** How long we have been waiting for octets that somebody wants, for the least rate of a body. */
  var waitedNanos: Long = 0
  var waitsSince: Long  = 0

  /** Octets have come: the wait for them is over. */
  def waited(now: Long): Unit = if (waitsSince != 0) {
    waitedNanos += now - waitsSince
    waitsSince = 0
  }

  def length: Long      = announced
  def isEmpty: Boolean  = false
  def trailers: Headers = lastTrailers

  def isWanted: Boolean = pull != null
  def isFailed: Boolean = failure != null

  /** Octets that are still to come; a guess of 0 where only the end will tell. */
  def leftKnown: Long = if (decoder == null) remaining else 0

  val stream: ByteStream = new ByteStream {
    def next(): Async[Option[Array[Byte]]] = pullNext()
    def cancel(): Unit                     = ()
  }

  def bytes: Async[Array[Byte]] = bytes(maxInMemory)

  def bytes(limit: Int): Async[Array[Byte]] = {
    // what is more than the loop may ever hold is too large, and not only for now
    val most = Math.min(limit.toLong, session.memory.largeShare).toInt
    if (announced > most)
      Async.fail(HttpError(Status.ContentTooLarge, s"the body is larger than $most bytes"))
    else if (announced >= 0 && announced == remaining && session.available >= announced) {
      // the usual small body: it came with the head
      val refusal = hold(announced.toInt)
      if (refusal == null) pullNext().map(piece => piece.getOrElse(SessionBody.none)) else Async.fail(refusal)
    } else {
      val refusal = hold(SessionBody.FirstRoom)
      if (refusal != null) Async.fail(refusal)
      else Body.collect(stream, new ByteWriter(SessionBody.FirstRoom), most, announced, hold)
    }
  }

  /** Null where so many bytes more may be held for it. */
  private def hold(n: Int): Throwable =
    if (released) null // nobody gets it any more
    else if (session.memory.take(n.toLong, held)) {
      held += n
      null
    } else {
      session.bodyRefused(this)
      MemoryShort
    }

  /** Its request is over, or it will not come to its end: what was collected is nobody's. */
  def release(): Unit = {
    released = true
    session.memory.give(held)
    held = 0
  }

  private def pullNext(): Async[Option[Array[Byte]]] =
    if (failure != null) Async.fail(failure)
    else if (isDone) SessionBody.end
    else if (pull != null)
      Async.fail(new IllegalStateException("the last piece of the body has not come yet"))
    else if (dropping)
      Async.fail(new IllegalStateException("the reply is complete: its request's body can no longer be read"))
    else {
      val piece = if (session.available > 0) take() else null
      if (piece != null) Async.value(Some(piece))
      else if (failure != null) Async.fail(failure)
      else if (isDone) SessionBody.end
      else {
        val promise = new Promise[Option[Array[Byte]]]
        pull = promise
        promise.onCancel(() => if (pull eq promise) pull = null)
        session.bodyWanted(this)
        promise
      }
    }

  /** Hands what the window holds to who waits for it; false where more is needed first. */
  def feed(): Boolean = {
    val piece = take()
    if (piece == null && failure == null && !isDone) false
    else {
      val waiting = pull
      pull = null
      if (waiting != null)
        if (piece != null) waiting.succeed(Some(piece))
        else if (failure != null) waiting.fail(failure)
        else waiting.succeed(None)
      true
    }
  }

  /** Drops what the window holds; false where more is needed first. */
  def drop(): Boolean =
    if (decoder == null) {
      val n = Math.min(remaining, session.available.toLong).toInt
      session.skip(n)
      dropped += n
      remaining -= n
      if (remaining == 0) end()
      isDone
    } else {
      val before = session.available
      while (!isDone && failure == null && decodeOne()) ()
      dropped += before - session.available
      isDone || failure != null
    }

  /** What the window holds of the content, in an array of its own; null where it holds none. */
  private def take(): Array[Byte] =
    if (decoder == null) {
      val n = Math.min(remaining, session.available.toLong).toInt
      if (n == 0) null
      else {
        val piece = session.takeOut(n)
        remaining -= n
        total += n
        if (remaining == 0) end()
        piece
      }
    } else {
      // several chunks of one window make one piece: a flood of tiny ones costs no more than a large one
      val piece  = new Array[Byte](session.available)
      var length = 0
      while (!isDone && failure == null && decodeOne()) {
        val n = decoder.dataUntil - decoder.dataFrom
        if (n > 0) {
          System.arraycopy(session.window, decoder.dataFrom, piece, length, n)
          length += n
          total += n
        }
      }
      if (length == 0 || failure != null) null
      else if (length == piece.length) piece
      else java.util.Arrays.copyOf(piece, length)
    }

  /** One step of the decoder through the window; false where it needs more octets. */
  private def decodeOne(): Boolean =
    if (session.available == 0) false
    else {
      val used = decoder.decode(session.window, session.position, session.limit) - session.position
      session.skip(used)
      // a chunk says its size before it comes
      if (!dropping && decoder.chunkLeft > maxTotal - total - (decoder.dataUntil - decoder.dataFrom)) {
        fail(HttpError(Status.ContentTooLarge, s"the body is larger than $maxTotal bytes"))
        false
      } else decoder.state match {
        case ChunkedDecoder.Bad =>
          fail(decoder.error)
          false
        case ChunkedDecoder.Done =>
          lastTrailers = decoder.trailers
          end()
          false
        case state => state == ChunkedDecoder.Data
      }
    }

  private def end(): Unit = {
    isDone = true
    session.bodyEnded()
  }

  /** Ends the body before its time. */
  def fail(cause: Throwable): Unit =
    if (failure == null && !isDone) {
      failure = cause
      release()
      session.bodyFailed()
      val waiting = pull
      pull = null
      if (waiting != null) waiting.fail(cause)
      ()
    }
}

private[server] object SessionBody {

  /** What is set aside for a body that is collected, before any of it has come: a claim costs the client more. */
  private final val FirstRoom = 4 * 1024

  private val none = new Array[Byte](0)
  private val end  = Async.value(None)
}
