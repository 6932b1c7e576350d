package needletail.client

import needletail.async.{Async, Promise}
import needletail.http.{ByteStream, Headers, ResponseHead, Status}

/** A call whose answer is wanted as it comes. */
private[client] final class StreamSending(loop: ClientLoop, call: Call)
    extends Sending[StreamedResponse](loop, call) {
  private var pull: Promise[Option[Array[Byte]]] = null
  private var failure: ClientError               = null
  private var last: Array[Byte] = null // the piece that came with the end, while nobody has asked
  private var isDone            = false
  private var isLeft            = false

  /** Is what the loop's buffer holds a part of this answer? Other calls use it, too. */
  private var hasGathered = false

  var trailers: Headers = Headers.empty
  var announced: Long   = -1

  protected def isStreamed: Boolean = true

  protected def accepted(status: Status, head: ResponseHead): Unit = {
    announced = head.contentLength
    val response = new StreamedResponse(status, head.toHeaders, this)
    extend()
    promise.succeed(response)
    ()
  }

  override def wantsContent: Boolean = pull != null || isLeft

  /** Several chunks of one turn make one piece: a flood of tiny ones costs no more than a large one. */
  def onContent(bytes: Array[Byte], from: Int, until: Int): Unit = {
    hasGathered = true
    context.gathered.write(bytes, from, until - from)
  }

  override def onPause(): Unit = if (hasGathered) {
    val piece = takeGathered()
    extend()
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
    ()
  }

  val stream: ByteStream = new ByteStream {
    def next(): Async[Option[Array[Byte]]] =
      if (last != null) {
        val piece = last
        last = null
        Async.value(Some(piece))
      } else if (failure != null) Async.fail(failure)
      else if (isDone || isLeft) Async.value(None)
      else if (pull != null)
        Async.fail(new IllegalStateException("the last piece of the body has not come yet"))
      else {
        val waiting = new Promise[Option[Array[Byte]]]
        pull = waiting
        waiting.onCancel(() => if (pull eq waiting) pull = null)
        extend()
        if (connection != null) connection.settle()
        waiting
      }

    def cancel(): Unit = if (!isDone && !isLeft && failure == null) {
      isLeft = true
      pull = null
      cancelled()
    }
  }
}
