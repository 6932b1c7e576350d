package needletail.content

import needletail.async.Async
import needletail.http.{ByteStream, Headers, HttpError, MessageBody, Status}

/** A body for whose content, and what becomes of it, the server has room for `room` bytes. */
private[content] final class BoundedBody(content: Array[Byte], room: Int) extends MessageBody {
  private var held                          = 0
  def length: Long                          = -1L
  def isEmpty: Boolean                      = false
  val stream: ByteStream                    = ByteStream.of(content)
  def bytes(limit: Int): Async[Array[Byte]] = Async.value(content)
  def bytes: Async[Array[Byte]]             = bytes(0)
  def trailers: Headers                     = Headers.empty

  private[needletail] override def hold(more: Int): Throwable =
    if (held + more > room) HttpError(Status.ServiceUnavailable, "no room")
    else {
      held += more
      null
    }
}
