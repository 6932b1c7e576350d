package needletail.client.connection

import needletail.client.error.ClientError
import needletail.http.http1.ResponseHead
import needletail.http.message.Headers
import needletail.http.text.ByteWriter

/**
 * Replaces an exchange that was dropped: reads its response and discards it, so that the connection can be reused.
 *
 * @param limit bytes of content after which the connection is closed instead
 * @param stopAt the deadline, in nanoseconds of the loop's clock; Long.MaxValue: it has `DrainNanos` once its response
 *   is the next one
 */
private[client] final class DrainingExchange(limit: Long, override val isHead: Boolean, stopAt: Long)
    extends ClientExchange {
  private var left = limit
  deadline = stopAt

  override private[client] def isNext(nowNanos: Long): Unit =
    if (deadline == Long.MaxValue) deadline = nowNanos + ClientConnection.DrainNanos

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
