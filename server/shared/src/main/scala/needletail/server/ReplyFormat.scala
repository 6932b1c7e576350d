package needletail.server

import needletail.http.{ByteWriter, Response, ResponseEncoder}

/** How a session's replies become octets: as HTTP/1.1, or as a web server in front wants to have them. */
private[needletail] trait ReplyFormat {

  /** How that response's content is framed: one of `ResponseEncoder`'s three ways. */
  def framing(response: Response, minor: Int): Int

  /** Writes the head; see `ResponseEncoder.head`. */
  def head(w: ByteWriter, response: Response, common: Array[Byte], minor: Int, keepAlive: Boolean): Unit

  /** Writes head and content if it can in one, else nothing; see `ResponseEncoder.whole`. */
  def whole(w: ByteWriter, response: Response, common: Array[Byte], minor: Int, keepAlive: Boolean): Int
}

private[needletail] object ReplyFormat {
  val http: ReplyFormat = new ReplyFormat {
    def framing(response: Response, minor: Int): Int = ResponseEncoder.framing(response, minor)

    def head(
        w: ByteWriter,
        response: Response,
        common: Array[Byte],
        minor: Int,
        keepAlive: Boolean
    ): Unit = ResponseEncoder.head(w, response, common, minor, keepAlive)

    def whole(
        w: ByteWriter,
        response: Response,
        common: Array[Byte],
        minor: Int,
        keepAlive: Boolean
    ): Int = ResponseEncoder.whole(w, response, common, minor, keepAlive)
  }
}
