package needletail.http

/** Where a request's content ends: the one place that decides it. */
private[needletail] object Framing {

  /**
   * Sets `contentLength` and `chunked` of a head whose fields are known, by the steps of RFC 9112 §6.3. Answers
   * what is wrong with them, or null; after an error the connection's octets mean nothing more.
   */
  def decide(head: Head): HttpError = {
    val hasLength = (head.seen & Fields.ContentLength) != 0
    val hasCoding = (head.seen & Fields.TransferEncoding) != 0
    head.chunked = false
    head.contentLength = 0

    // 1 and 2 speak of responses only.

    // 3. Both fields: one of two readers will be wrong about the end, which is how requests are smuggled. We
    //    refuse, as the RFC lets a server do. A coding in HTTP/1.0 is as suspect (§6.1).
    if (hasCoding && hasLength) bad("a request must not have both Transfer-Encoding and Content-Length")
    else if (hasCoding && head.minor == 0) bad("an HTTP/1.0 request must not have a Transfer-Encoding")

    // 4. Transfer-Encoding: chunked is the last coding, or the length can't be known.
    else if (hasCoding) {
      val problem = codings(head)
      if (problem == null) {
        head.chunked = true
        head.contentLength = -1
      }
      problem
    }

    // 5. and 6. Content-Length: one number, in digits alone. A list of equal numbers might be read as one; nobody
    //    sends it in earnest, so we don't.
    else if (hasLength)
      if ((head.repeated & Fields.ContentLength) != 0) bad("a request must not have two Content-Length headers")
      else {
        val field = head.first(Fields.ContentLength)
        val n     = number(head.bytes, head.valueStart(field), head.valueEnd(field))
        if (n < 0) bad("Content-Length must be one number in decimal digits")
        else {
          head.contentLength = n
          null
        }
      }

    // 7. A request with neither has no content.
    else null

    // 8 speaks of responses only.
  }

  /** All codings of all Transfer-Encoding lines, in order (RFC 9112 §6.1, §7). */
  private def codings(head: Head): HttpError = {
    val bytes   = head.bytes
    var chunked = false // has chunked been named?
    var last    = false // by the last member?
    var unknown = false
    var field   = head.first(Fields.TransferEncoding)
    while (field >= 0) {
      val end = head.valueEnd(field)
      var p   = head.valueStart(field)
      while (p < end) {
        // A comma inside a quoted parameter would split it wrongly; both halves are refused all the same
        val comma = FieldList.memberEnd(bytes, p, end)
        val from  = FieldList.skipSpace(bytes, p, comma)
        val until = FieldList.trimSpace(bytes, from, comma)
        if (from < until) { // empty members are let through (RFC 9110 §5.6.1.2)
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
    if (!last) bad("the last transfer coding of a request must be chunked")
    else if (unknown) HttpError(Status.NotImplemented, "the only transfer coding known here is chunked")
    else null
  }

  /** A number of at least one digit and nothing else; -1 when it is none or too large for a Long. */
  private def number(bytes: Array[Byte], from: Int, until: Int): Long = {
    if (from == until) return -1
    var n = 0L
    var p = from
    while (p < until) {
      if (!Grammar.is(bytes(p), Grammar.Digit)) return -1
      val digit = bytes(p) - '0'
      if (n > (Long.MaxValue - digit) / 10) return -1
      n = n * 10 + digit
      p += 1
    }
    n
  }

  private def bad(message: String) = HttpError(Status.BadRequest, message)
}
