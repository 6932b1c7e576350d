package needletail.http.http1

import needletail.http.http1.fields.{FieldList, Fields}
import needletail.http.message.{HttpError, Status}
import needletail.http.text.Ascii

/** Where a message's content ends, decided here only, by the numbered steps of RFC 9112 §6.3. */
private[needletail] object Framing {

  /**
   * Sets `contentLength` and `chunked` of a request head whose fields are parsed. Returns the error, or null. After an
   * error, nothing more can be read from the connection.
   */
  def decide(head: Head): HttpError = {
    // 1 and 2 apply to responses only; 3 to 6:
    head.chunked = false
    head.contentLength = 0
    if ((head.seen & Decisive) != 0) announced(head, "a request")
    // 7. A request with neither has no content.
    else null
    // 8 applies to responses only.
  }

  /**
   * Sets `contentLength` and `chunked` of a response head whose fields are parsed. Returns the error, or null.
   *
   * @param toHead whether it is the response to a HEAD request
   */
  def decide(head: ResponseHead, toHead: Boolean): HttpError = {
    head.chunked = false
    head.contentLength = 0
    // 1. No content, regardless of the fields.
    if (toHead || head.code < 200 || head.code == 204 || head.code == 304) null
    // 2 applies to responses to CONNECT, which the client never sends. 3 to 6:
    else if ((head.seen & Decisive) != 0) announced(head, "a response")
    // 7 applies to requests only.
    else {
      // 8. The content ends when the connection closes.
      head.contentLength = -1
      null
    }
  }

  /** Steps 3 to 6, for a head with at least one of the two fields. */
  @noinline private def announced(head: MessageHead, message: String): HttpError = {
    val hasLength = (head.seen & Fields.ContentLength) != 0
    val hasCoding = (head.seen & Fields.TransferEncoding) != 0

    // 3. Both fields: two recipients may disagree about the end, which allows request smuggling. Refused, as the RFC
    // permits. A coding in HTTP/1.0 is refused for the same reason (§6.1).
    if (hasCoding && hasLength) bad(s"$message must not have both Transfer-Encoding and Content-Length")
    else if (hasCoding && head.minor == 0) bad(s"$message of HTTP/1.0 must not have a Transfer-Encoding")

    // 4. Transfer-Encoding: chunked must be the last coding, otherwise the length is not known. (A response could
    // then end when the connection closes, in a coding that is not supported.)
    else if (hasCoding) {
      val problem = codings(head, message)
      if (problem == null) {
        head.chunked = true
        head.contentLength = -1
      }
      problem
    }

    // 5. and 6. Content-Length: one number, digits only. A list of equal numbers may be accepted, but is not sent in
    // practice, so it is refused.
    else if ((head.repeated & Fields.ContentLength) != 0)
      bad(s"$message must not have two Content-Length headers")
    else {
      val field = head.first(Fields.ContentLength)
      val n     = number(head.bytes, head.valueStart(field), head.valueEnd(field))
      if (n < 0) bad("Content-Length must be one number in decimal digits")
      else {
        head.contentLength = n
        null
      }
    }
  }

  /** All codings of all Transfer-Encoding lines, in order (RFC 9112 §6.1, §7). */
  private def codings(head: MessageHead, message: String): HttpError = {
    val bytes   = head.bytes
    var chunked = false // whether chunked occurred
    var last    = false // whether it was the last member
    var unknown = false
    var field   = head.first(Fields.TransferEncoding)
    while (field >= 0) {
      val end = head.valueEnd(field)
      var p   = head.valueStart(field)
      while (p < end) {
        // A comma inside a quoted parameter would split it wrongly; both halves are refused anyway
        val comma = FieldList.memberEnd(bytes, p, end)
        val from  = FieldList.skipSpace(bytes, p, comma)
        val until = FieldList.trimSpace(bytes, from, comma)
        if (from < until) { // empty members are allowed (RFC 9110 §5.6.1.2)
          val token = FieldList.tokenEnd(bytes, from, until)
          if (token == from) return bad("Transfer-Encoding must be a list of codings")
          if (Ascii.same(bytes, from, token, "chunked")) {
            if (token < until) return bad("the chunked coding has no parameters")
            if (chunked) return bad("the chunked coding must not be applied twice")
            chunked = true
            last = true
          } else {
            val next = FieldList.skipSpace(bytes, token, until)
            if (next < until && bytes(next) != ';') return bad("Transfer-Encoding must be a list of codings")
            unknown = true
            last = false
          }
        }
        p = comma + 1
      }
      field = head.indexOf("transfer-encoding", field + 1)
    }
    if (!last) bad(s"the last transfer coding of $message must be chunked")
    else if (unknown) HttpError(Status.NotImplemented, "the only supported transfer coding is chunked")
    else null
  }

  /** A number of at least one digit and nothing else; -1 if it is malformed or too large for a Long. */
  private def number(bytes: Array[Byte], from: Int, until: Int): Long = {
    if (from == until) return -1
    val isLong = until - from > 18 // no number of fewer digits is too large
    var n      = 0L
    var p      = from
    while (p < until) {
      val digit = bytes(p) - '0'
      if (digit < 0 || digit > 9 || isLong && n > (Long.MaxValue - digit) / 10) return -1
      n = n * 10 + digit
      p += 1
    }
    n
  }

  private final val Decisive = Fields.ContentLength | Fields.TransferEncoding

  private def bad(message: String) = HttpError(Status.BadRequest, message)
}
