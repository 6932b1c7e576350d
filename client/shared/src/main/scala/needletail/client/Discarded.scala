package needletail.client

import needletail.http.{ByteWriter, Headers, ResponseHead}

/** Stands for one that nobody waits for any more: its answer is read and dropped, to keep the connection. */
private[client] final class Discarded(limit: Long, override val isHead: Boolean, stopAt: Long)
    extends Exchange {
  private var left = limit
  deadline = stopAt

  def encode(into: ByteWriter): Unit   = ()
  def onSent(): Unit                   = ()
  def onHead(head: ResponseHead): Unit = if (head.contentLength > left) connection.close()

  def onContent(bytes: Array[Byte], from: Int, until: Int): Unit = {
    left -= until - from
    if (left < 0) connection.close()
  }
  def onEnd(trailers: Headers): Unit     = ()
  def onFailed(error: ClientError): Unit = ()
}
