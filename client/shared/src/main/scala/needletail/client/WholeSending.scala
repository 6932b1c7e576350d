package needletail.client

import needletail.http.{ByteWriter, Headers, ResponseHead, Status}

/** A call whose answer is wanted whole. */
private[client] final class WholeSending(loop: ClientLoop, call: Call)
    extends Sending[ClientResponse](loop, call) {
  private var status: Status     = null
  private var fields: Headers    = null
  private var exact: Array[Byte] = null // where the length is known
  private var grown: ByteWriter  = null // where it is not
  private var filled             = 0

  protected def isStreamed: Boolean = false

  protected def accepted(s: Status, head: ResponseHead): Unit = {
    status = s
    fields = head.toHeaders
    filled = 0
    val length = head.contentLength
    if (length > config.maxBodyInMemory) tooLarge()
    else if (length >= 0) exact = if (length == 0) WholeSending.nothing else new Array[Byte](length.toInt)
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
    promise.succeed(new ClientResponse(status, fields, content, trailers))
    ()
  }

  protected def failed(error: ClientError): Unit = { promise.fail(error); () }

  private def tooLarge(): Unit =
    refuse(
      new ClientError.TooLarge(hostName, s"the answer's body is larger than ${config.maxBodyInMemory} octets")
    )
}

private[client] object WholeSending {
  private val nothing = new Array[Byte](0)
}
