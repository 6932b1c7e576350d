package needletail.server.exchange

import needletail.http.{Response, ResponseEncoder}
import needletail.http.text.ByteWriter

/** How the replies of a [[ServerSession]] are written: as HTTP/1.1, or in the format of a gateway protocol. */
private[needletail] trait ReplyFormat {

  /** How the content of that response is framed: one of the three ways of `ResponseEncoder`. */
  def framing(response: Response, minor: Int): Int

  /** Writes the head; see `ResponseEncoder.head`. */
  def head(w: ByteWriter, response: Response, common: Array[Byte], minor: Int, keepAlive: Boolean): Unit

  /**
   * Writes head and content if they can be written at once, and returns the bytes of content; otherwise writes nothing
   * and returns a negative number. See `ResponseEncoder.whole`. Called only if the response has been rendered before.
   */
  def whole(w: ByteWriter, response: Response, common: Array[Byte], minor: Int, keepAlive: Boolean): Int
}

private[needletail] object ReplyFormat {

  /** HTTP/1.1, and 1.0 for clients that use it. */
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
