package needletail.gateway

import needletail.http.{ByteWriter, Response, ResponseEncoder}
import needletail.server.ReplyFormat

/** Replies as web servers take them from their programs: a CGI head, then content as it is, up to its end. */
private[gateway] object CgiFormat extends ReplyFormat {
  def framing(response: Response, minor: Int): Int =
    if (response.content != null || response.sourceLength >= 0 || !response.status.allowsBody)
      ResponseEncoder.Fixed
    else ResponseEncoder.UntilClose

  def head(w: ByteWriter, response: Response, common: Array[Byte], minor: Int, keepAlive: Boolean): Unit =
    CgiResponse.write(w, response)

  def whole(w: ByteWriter, response: Response, common: Array[Byte], minor: Int, keepAlive: Boolean): Int = -1
}
