package needletail.client.call

import needletail.async.{Async, AsyncPromise, Survivable}
import needletail.client.error.ClientError
import needletail.client.pool.PerLoopClient
import needletail.http.ByteStream
import needletail.http.http1.ResponseHead
import needletail.http.message.{Headers, Status}
import needletail.io.EventLoop

/** The execution of a call whose response is returned with its body as a stream. */
private[client] final class StreamingCallExecution(client: PerLoopClient, submitted: Call)
    extends CallExecution[StreamedResponse](client, submitted) {
  private var pull: AsyncPromise[Option[Array[Byte]]] = null // the piece that is waited for
  private var failure: ClientError                    = null
  private var last: Array[Byte] = null  // a piece that arrived with the end, before it was requested
  private var isDone            = false
  private var isLeft            = false
  private var isEmpty           = false // the response ends with its head, so there is nothing to cancel
  private var announced         = -1L
  private var trailers          = Headers.empty

  /** The decoded content, which replaces the original. */
  private var decoding: ContentCoding.Decoded = null

  /** Whether the loop's buffer, which its calls share, holds bytes of this response. */
  private var hasGathered = false

  protected def isStreamed: Boolean = true

  protected def accepted(status: Status, head: ResponseHead): Unit = {
    isEmpty = head.contentLength == 0
    announced = if (isHead) ClientResponse.lengthForGet(head.toHeaders) else head.contentLength
    val coding = codingOf(status, head)
    val plain  = if (coding == null) None else decoded(coding, status)
    if (plain != null) {
      extendForBody()
      val isTaken = promise.succeed(plain match {
        case None          => new StreamedResponse(status, head.toHeaders, stream)
        case Some(content) =>
          decoding =
            new ContentCoding.Decoded(e => named(ContentCoding.failure(hostName, e)), stream, content)
          new StreamedResponse(status, ContentCoding.decoded(head.toHeaders), decoding)
      })
      if (!isTaken) giveUpDecoding() // the decoder has cancelled the call
    }
  }

  /** Null if the decoder, which may be a program's own, fails: then so does the call, which is no fault of the host's. */
  private def decoded(coding: String, status: Status): Option[ByteStream] =
    try {
      val plain = config.decoding.get.decode(coding, stream)
      if (plain == null) throw ContentCoding.noDecoder(coding)
      plain
    } catch {
      case Survivable(e) =>
        if (!isLeft) { // the decoder has not cancelled the content
          isLeft = true
          val waiting = pull
          pull = null
          if (connection != null) { // nor the call
            leaveConnection()
            concluded(good = status.code < 500)
            endCall()
          }
          if (waiting != null) waiting.cancel()
        }
        promise.fail(e)
        null
    }

  private def giveUpDecoding(): Unit = if (decoding != null)
    try decoding.cancel()
    catch { case Survivable(e) => EventLoop.report("cancelling the decoder of a response failed", e) }

  override def wantsContent: Boolean = pull != null || isLeft

  /** The chunks that arrive in one turn make one piece, so that many small ones cost no more than a large one. */
  def onContent(bytes: Array[Byte], from: Int, until: Int): Unit = {
    hasGathered = true
    context.gathered.write(bytes, from, until - from)
  }

  override def onPause(): Unit = if (hasGathered) {
    val piece = takeGathered()
    extendForBody()
    give(piece)
  }

  private def takeGathered(): Array[Byte] = {
    val w     = context.gathered
    val piece = java.util.Arrays.copyOf(w.bytes, w.length)
    w.clear()
    hasGathered = false
    piece
  }

  private def give(piece: Array[Byte]): Unit = {
    val waiting = pull
    pull = null
    if (waiting != null) waiting.succeed(Some(piece)) else last = piece
    ()
  }

  protected def completed(more: Headers): Unit = {
    trailers = more
    isDone = true
    if (hasGathered) give(takeGathered())
    else if (pull != null) {
      val waiting = pull
      pull = null
      waiting.succeed(None)
      ()
    }
  }

  protected def failed(error: ClientError): Unit = {
    if (hasGathered) {
      context.gathered.clear()
      hasGathered = false
    }
    failure = error
    val waiting = pull
    pull = null
    if (!promise.fail(error) && waiting != null) waiting.fail(error)
    if (decoding != null) decoding.lost(error)
  }

  private val stream: StreamedContent = new StreamedContent {
    def length: Long      = announced
    def trailers: Headers = StreamingCallExecution.this.trailers

    def next(): Async[Option[Array[Byte]]] =
      if (last != null) {
        val piece = last
        last = null
        Async.value(Some(piece))
      } else if (failure != null) Async.fail(failure)
      else if (isDone || isLeft) Async.value(None)
      else if (pull != null && !pull.isCompleted) ByteStream.tooSoon
      else {
        val waiting = new AsyncPromise[Option[Array[Byte]]]
        pull = waiting
        waiting.onCancel(() => if (pull eq waiting) pull = null)
        extendForBody()
        if (connection != null) connection.settle()
        waiting
      }

    def cancel(): Unit = if (!isDone && !isLeft && !isEmpty && failure == null) {
      isLeft = true
      val waiting = pull
      pull = null
      cancelled()
      if (waiting != null) waiting.cancel()
    }
  }
}
