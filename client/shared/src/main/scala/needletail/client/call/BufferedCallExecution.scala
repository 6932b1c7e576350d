package needletail.client.call

import scala.util.{Failure, Success}

import needletail.async.{Survivable, Timer}
import needletail.client.error.ClientError
import needletail.client.pool.PerLoopClient
import needletail.http.{ByteStream, MessageBody}
import needletail.http.http1.ResponseHead
import needletail.http.message.{Headers, Status}
import needletail.http.text.ByteWriter

/** The execution of a call whose response is returned with its whole body. */
private[client] final class BufferedCallExecution(client: PerLoopClient, submitted: Call)
    extends CallExecution[ClientResponse](client, submitted) {
  private var status: Status     = null
  private var fields: Headers    = null
  private var exact: Array[Byte] = null // if the length is known
  private var grown: ByteWriter  = null // if it is not
  private var filled             = 0
  private var coding: String     = null // that the content is decoded from
  private var decoding: Runnable = null // ends decoding, while that waits for something

  protected def isStreamed: Boolean = false

  protected def accepted(s: Status, head: ResponseHead): Unit = {
    status = s
    fields = head.toHeaders
    filled = 0
    exact = null // of an attempt before, whose response was cut off
    grown = null
    coding = codingOf(s, head)
    val length = head.contentLength
    if (length > config.maxBodyInMemory) tooLarge()
    else if (length >= 0)
      exact = if (length == 0) BufferedCallExecution.nothing else new Array[Byte](length.toInt)
    else grown = new ByteWriter(1024)
  }

  def onContent(bytes: Array[Byte], from: Int, until: Int): Unit = {
    val n = until - from
    if (exact != null) {
      System.arraycopy(bytes, from, exact, filled, n)
      filled += n
    } else if (n > config.maxBodyInMemory - grown.length) tooLarge()
    else grown.write(bytes, from, n)
  }

  protected def completed(trailers: Headers): Unit = {
    val content = if (exact != null) exact else java.util.Arrays.copyOf(grown.bytes, grown.length)
    try {
      val plain = if (coding == null) None else config.decoding.get.decode(coding, ByteStream.of(content))
      plain match {
        case None =>
          promise.succeed(new ClientResponse(status, fields, content, trailers, isHead))
          ()
        case Some(stream) => if (promise.isCompleted) stream.cancel() else decode(stream, trailers)
        case null         => throw ContentCoding.noDecoder(coding)
      }
    } catch { // a decoder's exception: the exchange is over, so nobody else would end the call
      case Survivable(e) =>
        promise.fail(e)
        ()
    }
  }

  /** At most `maxBodyInMemory`: in one turn of the loop, unless it comes in very many pieces, or the decoder waits. */
  private def decode(content: ByteStream, trailers: Headers): Unit = {
    val whole        = MessageBody.collect(content, new ByteWriter(4096), config.maxBodyInMemory)
    var limit: Timer = null
    if (!whole.isCompleted) {
      deadline = context.loop.nowNanos + timeLeft // from here on the time is the call's, not an attempt's
      limit =
        context.loop.schedule(math.max(0L, timeLeft), () => fail(tooLate("its content was being decoded")))
      decoding = () =>
        try whole.cancel()
        finally content.cancel()
      promise.onCancel(() => stopDecoding())
    }
    whole.onComplete { result =>
      decoding = null
      if (limit != null) limit.cancel()
      endCall()
      result match {
        case Success(bytes) =>
          promise.succeed(new ClientResponse(status, ContentCoding.decoded(fields), bytes, trailers))
        case Failure(e) => promise.fail(named(ContentCoding.failure(hostName, e)))
      }
      ()
    }
  }

  private def stopDecoding(): Unit = if (decoding != null) {
    val stop = decoding
    decoding = null
    stop.run()
  }

  protected def failed(error: ClientError): Unit = {
    promise.fail(error)
    stopDecoding()
  }

  private def tooLarge(): Unit =
    refuse(
      new ClientError.TooLarge(
        hostName,
        s"the response's body is larger than ${config.maxBodyInMemory} bytes"
      )
    )
}

private[client] object BufferedCallExecution {
  private val nothing = new Array[Byte](0)
}
