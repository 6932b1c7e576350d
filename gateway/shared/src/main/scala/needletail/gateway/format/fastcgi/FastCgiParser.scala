package needletail.gateway.format.fastcgi

/**
 * Parses records from bytes that arrive in pieces (FastCGI 1.0, section 3.3). Used by both sides.
 *
 * A record's content is delivered in the pieces in which it arrives, never collected: a record may be longer than
 * what one read returns. One step at a time, so that the caller may stop anywhere, also between a header and its
 * content. It never throws, for any bytes.
 */
private[needletail] final class FastCgiParser {
  import FastCgiParser.*

  /** The result of the last step. */
  var state: Int = More

  /** The current record's header; valid from `Begin` to `End`. */
  var kind: Int          = 0
  var id: Int            = 0
  var contentLength: Int = 0

  /** After `Content`: where the content lies in the array passed to `next`. */
  var dataFrom: Int  = 0
  var dataUntil: Int = 0

  /** The error, after `Bad`; nothing after it can be interpreted. */
  var error: String = null

  private val header      = new Array[Byte](FastCgiRecord.HeaderLength)
  private var headerRead  = 0
  private var contentLeft = 0
  private var paddingLeft = 0
  private var inRecord    = false

  /** Bytes of the current record's content that have not been delivered. */
  def left: Int = contentLeft

  /**
   * Parses one step of the bytes from `from` until `until`, and returns the index up to which it used them. `state` is
   * the result: `Begin`, a header; `Content`, a piece of content; `End`, the end of the record, with its padding;
   * `More`, nothing, as the bytes are used up; `Bad`.
   */
  def next(bytes: Array[Byte], from: Int, until: Int): Int =
    if (state == Bad) until
    else if (!inRecord) readHeader(bytes, from, until)
    else if (contentLeft > 0)
      if (from == until) none(from)
      else {
        val n = Math.min(contentLeft, until - from)
        dataFrom = from
        dataUntil = from + n
        contentLeft -= n
        state = Content
        from + n
      }
    else {
      val n = Math.min(paddingLeft, until - from)
      paddingLeft -= n
      if (paddingLeft > 0) none(from + n)
      else {
        inRecord = false
        state = End
        from + n
      }
    }

  private def readHeader(bytes: Array[Byte], from: Int, until: Int): Int = {
    val n = Math.min(header.length - headerRead, until - from)
    System.arraycopy(bytes, from, header, headerRead, n)
    headerRead += n
    // checked before all eight bytes have arrived: a peer that speaks another protocol may wait for a response
    if (headerRead > 0 && header(0) != FastCgiRecord.Version) {
      error = s"the record's version is ${header(0) & 0xff}, not 1"
      state = Bad
      until
    } else if (headerRead < header.length) none(from + n)
    else {
      kind = header(1) & 0xff
      id = number(2)
      contentLength = number(4)
      contentLeft = contentLength
      paddingLeft = header(6) & 0xff
      headerRead = 0
      inRecord = true
      state = Begin
      from + n
    }
  }

  private def number(at: Int): Int = ((header(at) & 0xff) << 8) | (header(at + 1) & 0xff)

  private def none(at: Int): Int = {
    state = More
    at
  }
}

private[needletail] object FastCgiParser {
  final val More    = 0
  final val Begin   = 1
  final val Content = 2
  final val End     = 3
  final val Bad     = 4
}
