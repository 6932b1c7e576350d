package needletail.gateway.format.cgi

import needletail.http.{Response, ResponseEncoder}
import needletail.http.text.ByteWriter
import needletail.server.exchange.ReplyFormat

/** Replies in the form that web servers expect of their programs: a CGI head, then content, up to its end. */
private[gateway] object CgiFormat extends ReplyFormat {
  def framing(response: Response, minor: Int): Int =
    if (response.content != null || response.sourceLength >= 0 || !response.status.allowsBody)
      ResponseEncoder.Fixed
    else ResponseEncoder.UntilClose

  def head(w: ByteWriter, response: Response, common: Array[Byte], minor: Int, keepAlive: Boolean): Unit =
    CgiResponse.write(w, response)

  def whole(w: ByteWriter, response: Response, common: Array[Byte], minor: Int, keepAlive: Boolean): Int = -1
}
